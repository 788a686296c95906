package upstream

import (
	"strings"
	"testing"
)

// shown returns the text that a reader gets of an answer, and what had come before its end.
func shown(t *testing.T, habit *Habit, pieces ...string) (all, early string) {
	t.Helper()
	var got strings.Builder
	text := Text{Call: begin(t), Habit: habit, Emit: func(piece string) error {
		got.WriteString(piece)
		return nil
	}}
	for _, piece := range pieces {
		if err := text.Add(piece); err != nil {
			t.Fatal(err)
		}
	}
	early = got.String()
	if err := text.End(false); err != nil {
		t.Fatal(err)
	}
	return got.String(), early
}

func TestHabit(t *testing.T) {
	t.Run("an answer that cannot be thoughts is not held back", func(t *testing.T) {
		if _, early := shown(t, &Habit{}, "At seven."); early != "At seven." {
			t.Errorf("before the end came %q", early)
		}
	})
	t.Run("an answer that begins like thoughts is held back once", func(t *testing.T) {
		habit := &Habit{}
		for _, want := range []string{"", "Okay, at seven."} {
			if all, early := shown(t, habit, "Okay, at seven."); all != "Okay, at seven." || early != want {
				t.Errorf("got %q, and before the end %q", all, early)
			}
		}
	})
	t.Run("a model whose name says that it thinks is held back from its first answer on", func(t *testing.T) {
		if all, _ := shown(t, HabitOf("Qwen3-30B-A3B-Thinking-2507"), "Mal sehen.\n</think>\n\nUm sieben."); all != "Um sieben." {
			t.Errorf("got %q", all)
		}
	})
	t.Run("a text that is held back has the same limit", func(t *testing.T) {
		text := Text{Call: begin(t), Habit: HabitOf("qwq"), Emit: func(string) error { return nil }}
		var err error
		for i := 0; i < 5 && err == nil; i++ {
			err = text.Add(strings.Repeat("a", maxAnswerBytes/4))
		}
		if err == nil {
			err = text.Add("a")
		}
		if err != errTooLong {
			t.Errorf("err = %v", err)
		}
	})
}
