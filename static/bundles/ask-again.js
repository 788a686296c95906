customElements.define("ask-again",class extends HTMLElement{connectedCallback(){this.querySelector("form")?.requestSubmit()}});
