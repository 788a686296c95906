package answers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// pool is a swimming pool that tells of itself in one language.
type pool struct {
	documents []string
	// answers are what answers have to contain, by question.
	answers map[string]string
	// unanswerable are questions that no document answers.
	unanswerable []string
}

var pools = map[string]pool{
	"german": {
		documents: []string{
			"# Preise\n\n| Karte | Erwachsene | Kinder |\n|---|---|---|\n| Tageskarte | 8,50 € | 4,00 € |\n| Zehnerkarte | 75 € | 35 € |\n| Jahreskarte | 320 € | 150 € |\n\nKinder unter drei Jahren haben freien Eintritt. Studierende zahlen den Preis für Kinder.\n",
			"# Öffnungszeiten\n\nDas Bad ist von Montag bis Freitag von 7 bis 21 Uhr geöffnet, am Wochenende von 9 bis 18 Uhr. Die Sauna öffnet täglich um 12 Uhr.\n\n## Feiertage\n\nAn Weihnachten und Neujahr ist das Bad geschlossen.\n",
			"# Kurse\n\n## Schwimmkurse für Kinder\n\nKurse für Kinder ab fünf Jahren finden dienstags um 16 Uhr statt. Ein Kurs dauert zehn Wochen und kostet 90 €.\n\n## Aquafitness\n\nAquafitness findet montags und donnerstags um 19 Uhr statt. Eine Anmeldung ist nicht nötig.\n",
		},
		answers: map[string]string{
			"Was kostet eine Tageskarte?":                     "8,50 €",
			"Wie lange ist das Bad am Wochenende geöffnet?":   "9 bis 18 Uhr",
			"Wann öffnet die Sauna?":                          "12 Uhr",
			"Was kostet ein Schwimmkurs für Kinder?":          "90 €",
			"Brauche ich für Aquafitness eine Anmeldung?":     "nicht nötig",
			"Ist das Bad an Weihnachten offen?":               "geschlossen",
			"Haben Kinder unter drei Jahren freien Eintritt?": "freien Eintritt",
		},
		unanswerable: []string{
			"Was ist die Hauptstadt von Spanien?", "Wie setze ich mein Passwort zurück?", "Verkaufen Sie Motorräder?",
			"Wer hat die Bundestagswahl gewonnen?", "Wie backe ich Brot?",
		},
	},
	"french": {
		documents: []string{
			"# Tarifs\n\n| Billet | Adultes | Enfants |\n|---|---|---|\n| Entrée à la journée | 7,50 € | 4 € |\n| Carnet de dix entrées | 65 € | 32 € |\n| Abonnement annuel | 290 € | 140 € |\n\nL'entrée est gratuite pour les enfants de moins de trois ans.\n",
			"# Horaires\n\nLa piscine est ouverte du lundi au vendredi de 7 h à 21 h, et le week-end de 9 h à 18 h. Le sauna ouvre à midi.\n\n## Jours fériés\n\nLa piscine est fermée à Noël et au Nouvel An.\n",
			"# Cours\n\n## Leçons de natation\n\nLes leçons de natation pour enfants ont lieu le mardi à 16 h. Un cycle dure dix semaines et coûte 90 €.\n\n## Aquagym\n\nL'aquagym a lieu le lundi et le jeudi à 19 h. Il n'est pas nécessaire de s'inscrire.\n",
		},
		answers: map[string]string{
			"Combien coûte l'abonnement annuel ?":                "290 €",
			"Quels sont les horaires de la piscine ?":            "7 h à 21 h",
			"La piscine est-elle ouverte à Noël ?":               "fermée",
			"Combien coûtent les leçons de natation ?":           "90 €",
			"Quand a lieu l'aquagym ?":                           "19 h",
			"L'entrée est-elle gratuite pour les enfants ?":      "moins de trois ans",
			"À quelle heure ouvre le sauna ?":                    "midi",
			"Faut-il s'inscrire pour l'aquagym ?":                "pas nécessaire",
			"Quel est le tarif d'un carnet de dix entrées ?":     "65 €",
			"Combien de temps dure un cycle de leçons de nage ?": "dix semaines",
		},
		unanswerable: []string{
			"Quelle est la capitale de l'Espagne ?", "Comment réinitialiser mon mot de passe ?", "Vendez-vous des motos ?",
			"Qui est le premier ministre ?", "Comment faire du pain ?",
		},
	},
	"spanish": {
		documents: []string{
			"# Precios\n\nLa entrada de un día cuesta 7 € para adultos y 4 € para niños. El abono anual cuesta 280 €.\n",
			"# Horario\n\nLa piscina abre de lunes a viernes de 7 a 21 horas, y los fines de semana de 9 a 18 horas. La sauna abre a las 12.\n",
			"# Cursos\n\nLos cursos de natación para niños son los martes a las 16 horas y duran diez semanas.\n",
		},
		answers: map[string]string{
			"¿Cuánto cuesta el abono anual?":                "280 €",
			"¿A qué hora abre la piscina el fin de semana?": "9 a 18",
			"¿Cuándo son los cursos de natación?":           "martes",
			"¿Cuándo abre la sauna?":                        "12",
		},
		unanswerable: []string{"¿Cuál es la capital de Francia?", "¿Cómo restablezco mi contraseña?", "¿Venden motocicletas?"},
	},
	"arabic": {
		documents: []string{
			"# الأسعار\n\nسعر التذكرة اليومية 30 درهما للكبار و15 درهما للأطفال. الاشتراك السنوي سعره 900 درهم.\n",
			"# ساعات العمل\n\nالمسبح مفتوح من الأحد إلى الخميس من الساعة 7 صباحا إلى 9 مساء. الساونا مفتوحة من الظهر.\n",
			"# الدورات\n\nدورات السباحة للأطفال يوم الثلاثاء الساعة 4 مساء، ومدة الدورة عشرة أسابيع.\n",
		},
		answers: map[string]string{
			"ما هو سعر التذكرة اليومية؟": "30 درهما",
			"كم سعر الاشتراك السنوي؟":    "900 درهم",
			"متى يكون المسبح مفتوحا؟":    "9 مساء",
			"متى دورات السباحة للأطفال؟": "الثلاثاء",
		},
		unanswerable: []string{"ما هي عاصمة إسبانيا؟", "كيف أعيد تعيين كلمة المرور؟", "هل تبيعون دراجات نارية؟"},
	},
	"chinese": {
		documents: []string{
			"# 价格\n\n成人日票每张50元,儿童日票每张25元。年卡价格为1500元。\n",
			"# 营业时间\n\n游泳池周一至周五7点到21点开放,周末9点到18点开放。桑拿房中午12点开放。\n",
			"# 课程\n\n儿童游泳课程每周二16点开始,为期十周。水中健身不需要报名。\n",
		},
		answers: map[string]string{
			"年卡的价格是多少?":     "1500元",
			"游泳池的营业时间是几点?":  "21点",
			"儿童游泳课程什么时候开始?": "周二",
			"桑拿房几点开放?":      "12点",
			"水中健身需要报名吗?":    "不需要报名",
		},
		unanswerable: []string{"西班牙的首都是哪里?", "怎么重置我的密码?", "你们卖摩托车吗?"},
	},
}

// languages are the languages of the question sets in testdata/languages.
var languages = []string{"ar", "de", "es", "fr", "ja", "pt", "ru", "zh"}

func TestAnswersInOtherLanguages(t *testing.T) {
	t.Parallel()
	for language, pool := range pools {
		asked := newBusiness(t, pages(pool.documents...))
		t.Run("questions in "+language+" are answered from documents in it", func(t *testing.T) {
			for question, contains := range pool.answers {
				if r := asked.ask(t, question); !r.isRight(contains, "") {
					t.Errorf("%s\n%s", question, r.text)
				}
			}
		})
		t.Run("questions in "+language+" that the documents do not answer get none", func(t *testing.T) {
			for _, question := range pool.unanswerable {
				if r := asked.ask(t, question); r.answered {
					t.Errorf("%s\n%s", question, r.text)
				}
			}
		})
	}
}

// TestAnswersInEightLanguages holds what docs/answers.md says of the question sets in
// testdata/languages and testdata/languages2, less three.
func TestAnswersInEightLanguages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sentence, set            string
		right, answered, refused int
	}{
		{"questions are answered, and those that nobody can answer are not", "languages", 109, 144, 24},
		{"and so are those that nothing was chosen by", "languages2", 66, 69, 32},
	} {
		t.Run(c.sentence, func(t *testing.T) {
			right, answered, refused := 0, 0, 0
			for _, language := range languages {
				var documents []string
				eachLine(t, c.set, language, "corpus", func(line languageLine) { documents = append(documents, line.Text) })
				asked := newBusiness(t, pages(documents...))
				before := right
				eachLine(t, c.set, language, "queries", func(line languageLine) {
					if r := asked.ask(t, line.Text); r.answered {
						answered++
						if r.isRight(line.Answer, "") {
							right++
						}
					}
				})
				eachLine(t, c.set, language, "unanswerable", func(line languageLine) {
					if r := asked.ask(t, line.Text); !r.answered {
						refused++
					}
				})
				t.Logf("%s: %d are right", language, right-before)
			}
			t.Logf("%d are right, %d answered, and %d get no answer", right, answered, refused)
			if right < c.right || answered < c.answered || refused < c.refused {
				t.Errorf("at least %d have to be right, %d answered and %d not", c.right, c.answered, c.refused)
			}
		})
	}
}

// languageLine is a line of a file in testdata/languages.
type languageLine struct{ Text, Answer string }

func eachLine(t *testing.T, set, language, name string, visit func(languageLine)) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(testdata, set, language, name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var read languageLine
		if err := json.Unmarshal([]byte(line), &read, json.MatchCaseInsensitiveNames(true)); err != nil {
			t.Fatal(err)
		}
		visit(read)
	}
}
