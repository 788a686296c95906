// Package system has the right to work across workspaces.
package system

import "parley/core/system/grant"

// Access is the right to see the rows of all workspaces. What needs it takes it after the
// context, where everything else takes a workspace. Only the program's wiring can make one.
type Access = grant.Access
