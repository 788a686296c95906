// Says what does not fit the window, as a list of sentences.
//
// A control is what a person can click on or type into. It is clipped when a part
// of its box cannot be seen and cannot be scrolled to: it lies beside the window, or
// an ancestor with overflow hidden or clip cuts it off. Text that ends in an ellipsis
// is shortened on purpose and is not clipped. Nothing scrolls sideways but code, and
// tables in a region that takes the focus.
(async () => {
  if (document.querySelector(":popover-open")) {
    await new Promise(requestAnimationFrame); // menus move to their buttons when the window has another size
  }
  const complaints = new Set();
  const page = document.documentElement;
  const wide = page.clientWidth;
  const high = window.innerHeight;
  const slack = 1; // for fractions of a pixel

  const named = (element) => {
    const classes = [...element.classList].map((name) => "." + name).join("");
    const text = (element.getAttribute("aria-label") ?? element.textContent).replace(/\s+/g, " ").trim().slice(0, 40);
    return `${element.localName}${element.id && "#" + element.id}${classes} “${text}”`;
  };
  const within = (element, selector) => element.closest(selector) !== null;
  const regions = "[role=region][tabindex='0'], pre, textarea, input, select";
  const seen = (element) => element.checkVisibility({ visibilityProperty: true }) && !within(element, ".unseen, .skip, thead") && element.getClientRects().length > 0;
  const holdsFixed = (style) => style.transform !== "none" || style.translate !== "none" || style.filter !== "none" || style.containerType !== "normal";

  const cutBy = (element) => {
    const box = element.getBoundingClientRect();
    let style = getComputedStyle(element);
    const inline = style.display === "inline";
    let sideways = true; // whether it has not been found in something that may scroll
    let scrolls = false;
    for (let around = element; around; around = around.parentElement) {
      const own = getComputedStyle(around);
      if (around !== element) {
        const apart = (style.position === "fixed" && !holdsFixed(own)) || (style.position === "absolute" && own.position === "static" && !holdsFixed(own));
        if (apart || around === document.body || around === page) {
          continue;
        }
        const edge = around.getBoundingClientRect();
        const cuts = (overflow) => overflow === "hidden" || overflow === "clip";
        const shortened = inline && (own.textOverflow === "ellipsis" || own.webkitLineClamp !== "none");
        const beside = box.left < edge.left - slack || box.right > edge.right + slack;
        const beyond = box.top < edge.top - slack || box.bottom > edge.bottom + slack;
        if (sideways && beside && !shortened) {
          if (cuts(own.overflowX)) {
            return `is cut off by ${named(around)}`;
          }
          if (own.overflowX !== "visible" && !around.matches(regions)) {
            return `can only be seen by scrolling ${named(around)} sideways`;
          }
        }
        if (beyond && cuts(own.overflowY) && !scrolls && !shortened) {
          return `is cut off by ${named(around)}`;
        }
        scrolls ||= own.overflowY === "auto" || own.overflowY === "scroll";
        sideways &&= !around.matches(regions);
      }
      if (own.position === "fixed" && !scrolls && (around.getBoundingClientRect().top < -slack || around.getBoundingClientRect().bottom > high + slack)) {
        return `is in ${named(around)}, which is higher than the window`;
      }
      style = own;
    }
    if (sideways && (box.left < -slack || box.right > wide + slack)) {
      return "is beside the window";
    }
    return "";
  };

  const root = document.querySelector("dialog:modal") ?? document.querySelector(":popover-open") ?? document.body;
  for (const control of root.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary, [role=tab], [role=option], [tabindex='0']")) {
    if (!seen(control)) {
      continue;
    }
    const box = control.getBoundingClientRect();
    if (box.width === 0 || box.height === 0) {
      continue;
    }
    const cut = cutBy(control);
    if (cut) {
      complaints.add(`${named(control)} ${cut}`);
    }
  }
  for (const element of root.querySelectorAll("*")) {
    if (element.scrollWidth <= element.clientWidth + slack || element.clientWidth === 0 || !seen(element) || within(element, regions) || within(element, "svg")) {
      continue;
    }
    if (element.querySelector(":scope > save-bar")) {
      continue; // the bar reaches to the sides of the page
    }
    const style = getComputedStyle(element);
    if (style.overflowX === "auto" || style.overflowX === "scroll") {
      complaints.add(`${named(element)} scrolls sideways`);
    } else if (style.overflowX === "visible" && ![...element.children].some((child) => child.scrollWidth > child.clientWidth + slack && child.clientWidth > 0)) {
      complaints.add(`what is in ${named(element)} spills over its side`);
    }
  }
  if (page.scrollWidth > wide) {
    complaints.add(`the page scrolls sideways: it is ${page.scrollWidth} px wide`);
  }
  return [...complaints];
})();
