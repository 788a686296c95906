// The script of every page. Each module makes one thing pleasant that works
// without it; a module with elements of its own defines them. Scripts of single
// pages import from here what they share with it: each runs once.
import "./dialogs.js";
export { fill, keep, kept } from "./kept.js";
import "./menus.js";
import "./drawer.js";
export { toast } from "./toasts.js";
import "./times.js";
import "./copy.js";
import "./code-tabs.js";
import "./save-bar.js";
import "./drop-zone.js";
import "./fragments.js";
import "./forms.js";
import "./offline.js";
import "./session.js";
import "./palette.js";
