package plain

import "testing"

func TestCell(t *testing.T) {
	for cell, want := range map[string]string{
		"": "", "When?": "When?", "a=b": "a=b",
		"=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@SUM(A1)": "'@SUM(A1)", "\t=1": "'\t=1", "\r=1": "'\r=1", "\n=1": "'\n=1",
		"|cmd": "'|cmd", "%0A": "'%0A", "＝1": "'＝1", "＋1": "'＋1", "－1": "'－1", "＠a": "'＠a",
	} {
		if got := Cell(cell); got != want {
			t.Errorf("%q becomes %q, want %q", cell, got, want)
		}
	}
}
