package signin

import "encoding/json"

// Unfinished is what a sign-in that waits for a second factor has shown: the data of a
// [SecondFactor] step.
type Unfinished struct {
	Method         Method `json:"method"`
	SSOWorkspaceID string `json:"sso_workspace_id,omitempty"`
	// Memory is what remembers the last challenge for a passkey.
	Memory string `json:"memory,omitempty"`
}

// UnfinishedOf reads the data of a step, which in one of an earlier release may be the
// method alone.
func UnfinishedOf(step Step) Unfinished {
	var u Unfinished
	if json.Unmarshal([]byte(step.Data), &u) != nil {
		u.Method = Method(step.Data)
	}
	return u
}

// Data is what a step holds of it.
func (u Unfinished) Data() string {
	data, _ := json.Marshal(u) // never fails for texts
	return string(data)
}

// Proof is the proof with the second factor.
func (u Unfinished) Proof() Proof {
	return Proof{Method: u.Method, SSOWorkspaceID: u.SSOWorkspaceID, SecondFactor: true}
}
