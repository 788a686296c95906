//go:build unix

package status

// CheckUser fails for a user who is neither this process's nor root.
var CheckUser = checkUser
