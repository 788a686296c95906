// Package ui owns the components that pages are made of. A page is a templ file of
// packages bot, workspace or person with its model beside it:
//
//	templ MembersPage(l shell.Layout, m Members) {
//		@shell.Page(l) {                                  // title, navigation, messages
//			@ui.FormError(m.Form)                         // what is wrong with no input in particular
//			@ui.Table(ui.Grid{ID: "members", Label: "Members", Columns: ui.Columns("Name", "Role")}) {
//				for _, member := range m.Members {
//					<tr>
//						@ui.Name() { {member.Email} }         // the cell that names the row
//						@ui.Cell("Role") { {member.Role} }    // on a phone a row is a card with these labels
//					</tr>
//				}
//			}
//			@ui.Pages(ui.Pager{Next: m.Next})             // keyset pages
//		}
//	}
//
// The handler sets the layout's About, Actions, Crumbs and Broad, and answers a form
// with site.Flash, which shows a toast on the next page, with an Undo if it names
// where that posts. Buttons, links and items of menus take an Action; cards,
// sections a Head; dialogs and sheets a Window, which a button with its id in Opens
// opens. A refused form keeps its values: Form has them, and Field, Select,
// Checkbox, Switch, Radios and Dropzone show the error beside their input. A dialog
// whose form was refused has Refused, and opens by itself.
//
// Scripts make it pleasant: data-swap="list" on a GET form or around links replaces
// the element with that id only; data-poll="3000" on an element with an id keeps it
// current; <save-bar>, <copy-button>, <code-tabs> and <drop-zone> come with their
// components. static/js has one module each.
package ui

// Form has the values of a form, by the name of the input, and what is
// Wrong with it. Values has an entry for every input that can be wrong.
type Form struct {
	Values map[string]string
	// Field names the input that is wrong.
	Field string
	// Message says what is wrong, empty when nothing is.
	Message string
}

// Value returns the value of an input.
func (f Form) Value(name string) string { return f.Values[name] }

// Error returns the error of an input.
func (f Form) Error(name string) string {
	if f.Field != name {
		return ""
	}
	return f.Message
}

// Banner returns the error of the whole form.
func (f Form) Banner() string {
	if _, ofAnInput := f.Values[f.Field]; ofAnInput {
		return ""
	}
	return f.Message
}
