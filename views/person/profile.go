package person

import "parley/views/ui"

// Profile is the page about oneself.
type Profile struct{ EmailForm, PasswordForm ui.Form }
