package plan

import (
	"slices"
	"strings"
)

// Names returns the plans' names, lowest first.
func Names() []Name { return []Name{Starter, Basic, Standard, Premium, Enterprise} }

// Higher returns the higher of two plans. An unknown name is the lowest.
func Higher(a, b Name) Name {
	if b.Above(a) {
		return b
	}
	return a
}

// Above reports whether a plan is higher than another. An unknown name is the
// lowest.
func (n Name) Above(other Name) bool { return rank(n) > rank(other) }

// Title returns the name for people.
func (n Name) Title() string {
	if !n.known() {
		return "an unknown plan"
	}
	return strings.ToUpper(string(n[:1])) + string(n[1:])
}

func (n Name) known() bool { return rank(n) >= 0 }

func rank(n Name) int { return slices.Index(Names(), n) }

// KeepsLess reports whether the plan keeps conversations for a shorter time than
// another.
func (p Plan) KeepsLess(than Plan) bool {
	return exceeds(than.Limits.RetentionDays, p.Limits.RetentionDays) || than.Limits.RetentionDays == Unlimited && p.Limits.RetentionDays != Unlimited
}
