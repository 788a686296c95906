package kinds

import (
	"slices"
	"testing"

	"parley/text/language"
)

func TestKinds(t *testing.T) {
	for question, c := range map[string]struct {
		in         language.Code
		want       Kind
		fits, lack string
	}{
		"Wie teuer ist eine Tageskarte?":         {language.German, Price, "Sie kostet acht Euro.", "Sie gilt den ganzen Tag."},
		"Ab wann kann man schwimmen?":            {language.German, Moment, "Wir öffnen um 7 Uhr.", "Das Becken ist warm."},
		"Wie lange dauert ein Kurs?":             {language.German, Duration, "Er dauert zehn Wochen.", "Er ist beliebt."},
		"Wer leitet den Kurs?":                   {language.German, Person, "Ihn leitet Frau Ostrowski.", "Der Kurs findet statt."},
		"Quanto custa a limpeza?":                {language.Portuguese, Price, "Limpeza: R$ 190", "A limpeza é indolor."},
		"Jusqu'à quelle heure êtes-vous ouverts": {language.French, Moment, "Nous fermons à 17 h 30.", "Nous fermons tard."},
		"¿Quién es el responsable?":              {language.Spanish, Person, "Escriba a Nuria Cabezón.", "Escriba a la responsable."},
		"Есть ли скидка?":                        {language.Russian, Share, "Студентам 20 %.", "Студентам рады."},
		"Сколько времени идёт посылка?":          {language.Russian, Duration, "Она идёт три недели.", "Она идёт почтой."},
		"كم سعر التذكرة؟":                        {language.Arabic, Price, "التذكرة 30 درهما", "التذكرة يومية"},
		"手术要多少钱":                                 {language.Chinese, Price, "公猫600元", "当天接回家"},
		"多久驱虫一次":                                 {language.Chinese, Duration, "建议3个月一次", "建议定期驱虫"},
		"何時から開いていますか":                            {language.Japanese, Moment, "9時から", "駅の前です"},
		"학생 할인이 있나요?":                            {language.Korean, Share, "학생은 20% 할인", "학생증을 보여 주세요"},
	} {
		t.Run(question, func(t *testing.T) {
			k := In(c.in)
			got, _ := k.AskedBy(question)
			if got != c.want {
				t.Errorf("it asks for %v, want %v", got, c.want)
			}
			if !k.Fits(c.want, c.fits) {
				t.Errorf("%q is no answer of its kind", c.fits)
			}
			if k.Fits(c.want, c.lack) {
				t.Errorf("%q is an answer of its kind", c.lack)
			}
		})
	}
	t.Run("languages that are not known have those of English", func(t *testing.T) {
		if In("") != In(language.English) || In("xx") != In(language.English) {
			t.Error("they have others")
		}
	})
}

func TestFiles(t *testing.T) {
	for _, code := range language.Codes() {
		t.Run("words ask for prices, times and places: "+code.Name(), func(t *testing.T) {
			words := wordsOf(code)
			for _, kind := range []string{"price", "duration", "moment", "place", "phone", "email", "free", "days"} {
				if len(words[kind]) == 0 {
					t.Errorf("none ask for a %s", kind)
				}
			}
			for name := range words {
				if !slices.Contains([]string{"price", "duration", "moment", "distance", "place", "phone", "email", "share", "who", "free", "days", "places", "distances", "persons"}, name) {
					t.Errorf("nothing reads %q", name)
				}
			}
		})
	}
}
