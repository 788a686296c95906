package answers

import (
	"strings"
	"testing"
)

// plainPage is a page in a language, with its name for sources, and what answers to
// questions about it contain. One question it does not answer.
type plainPage struct {
	text, source string
	answers      map[string]string
	unanswerable string
}

// plainPages are in the languages that have no set of questions.
var plainPages = map[string]plainPage{
	"italian": {
		text:         "# Piscina comunale\n\n## Orari\n\nLa piscina è aperta dal lunedì al venerdì dalle 7 alle 21. La domenica resta chiusa.\n\n## Prezzi\n\nL'ingresso per adulti costa 8 €, quello per bambini 4 €. Gli studenti hanno una riduzione del 20 %.\n\n## Corsi\n\nI corsi di nuoto per bambini durano dieci settimane e sono tenuti da Carla Bonfanti.\n",
		unanswerable: "Qual è la capitale della Spagna?",
		source:       "*Fonte:",
		answers: map[string]string{
			"Quanto costa il biglietto per un bambino?": "4 €", "A che ora aprite il lunedì?": "dalle 7", "C'è uno sconto per studenti?": "20 %",
		},
	},
	"dutch": {
		text:         "# Zwembad\n\n## Openingstijden\n\nHet zwembad is van maandag tot en met vrijdag geopend van 7 tot 21 uur. Op zondag zijn we gesloten.\n\n## Prijzen\n\nVolwassenen betalen 8 euro entree, kinderen 4 euro. Studenten krijgen 20% korting.\n\n## Zwemlessen\n\nDe zwemlessen voor kinderen duren tien weken. U kunt tot een week van tevoren annuleren.\n",
		unanswerable: "Wat is de hoofdstad van Spanje?",
		source:       "*Bron:",
		answers: map[string]string{
			"Wat kost de toegang voor kinderen?": "4 euro", "Hoe laat gaan jullie maandag open?": "van 7", "Hoe lang duurt een zwemcursus?": "tien weken",
		},
	},
	"swedish": {
		text:         "# Simhallen\n\n## Öppettider\n\nSimhallen är öppen måndag till fredag klockan 7–21. På söndagar har vi stängt.\n\n## Priser\n\nInträdet kostar 90 kronor för vuxna och 45 kronor för barn. Studenter får 20 procents rabatt.\n\n## Simskola\n\nSimkurserna för barn pågår i tio veckor. Avbokning är gratis fram till en vecka innan.\n",
		unanswerable: "Vad heter Spaniens huvudstad?",
		source:       "*Källa:",
		answers: map[string]string{
			"Vad kostar det för barn?": "45 kronor", "När öppnar ni på måndagar?": "klockan 7", "Hur många veckor håller simkursen på?": "tio veckor",
		},
	},
	"danish": {
		text:         "# Svømmehallen\n\n## Åbningstider\n\nSvømmehallen er åben mandag til fredag klokken 7–21. Om søndagen har vi lukket.\n\n## Priser\n\nEntréen koster 60 kroner for voksne og 30 kroner for børn. Studerende får 20 procent rabat.\n\n## Svømmeskole\n\nSvømmekurserne for børn varer ti uger. Du kan afbestille gratis indtil en uge før.\n",
		unanswerable: "Hvad hedder Spaniens hovedstad?",
		source:       "*Kilde:",
		answers: map[string]string{
			"Hvad koster det for et barn?": "30 kroner", "Hvornår åbner I om mandagen?": "klokken 7", "Giver I rabat til studerende?": "20 procent",
		},
	},
	"norwegian": {
		text:         "# Svømmehallen\n\n## Åpningstider\n\nSvømmehallen er åpen mandag til fredag klokken 7–21. På søndager holder vi stengt.\n\n## Priser\n\nInngangen koster 90 kroner for voksne og 45 kroner for barn. Studenter får 20 prosent rabatt.\n\n## Svømmeskole\n\nSvømmekursene for barn varer i ti uker. Dere kan avbestille gratis inntil en uke før.\n",
		unanswerable: "Hva heter hovedstaden i Spania?",
		source:       "*Kilde:",
		answers: map[string]string{
			"Hvor mye koster det for barn?": "45 kroner", "Når åpner dere på mandager?": "klokken 7", "Hvor lenge varer svømmekurset?": "ti uker",
		},
	},
	"finnish": {
		text:         "# Uimahalli\n\n## Aukioloajat\n\nUimahalli on avoinna maanantaista perjantaihin klo 7–21. Sunnuntaisin halli on suljettu.\n\n## Hinnat\n\nAikuisten pääsylippu maksaa 8 euroa ja lasten 4 euroa. Opiskelijat saavat 20 prosentin alennuksen.\n\n## Uimakoulu\n\nLasten uimakurssit kestävät kymmenen viikkoa. Kurssin voi peruuttaa maksutta viikkoa ennen alkua.\n",
		unanswerable: "Mikä on Espanjan pääkaupunki?",
		source:       "*Lähde:",
		answers: map[string]string{
			"Mitä lasten lippu maksaa?": "4 euroa", "Milloin uimahalli on auki?": "klo 7", "Saavatko opiskelijat alennusta?": "20 prosentin",
		},
	},
	"turkish": {
		text:         "# Yüzme havuzu\n\n## Açılış saatleri\n\nHavuz pazartesiden cumaya kadar saat 7 ile 21 arasında açıktır. Pazar günleri kapalıyız.\n\n## Ücretler\n\nYetişkinler için giriş ücreti 120 lira, çocuklar için 60 liradır. Öğrencilere yüzde 20 indirim yapılır.\n\n## Kurslar\n\nÇocuklar için yüzme kursları on hafta sürer. Başlangıçtan bir hafta öncesine kadar ücretsiz iptal edebilirsiniz.\n",
		unanswerable: "İspanya'nın başkenti neresi?",
		source:       "*Kaynak:",
		answers: map[string]string{
			"Çocuklar için giriş ne kadar?": "60 lira", "Havuz saat kaçta açılıyor?": "saat 7", "Öğrenci indirimi var mı?": "yüzde 20",
		},
	},
	"korean": {
		text:         "# 수영장 안내\n\n## 운영 시간\n\n수영장은 월요일부터 금요일까지 오전 7시부터 오후 9시까지 운영합니다. 일요일은 쉽니다.\n\n## 요금\n\n성인 입장료는 8,000원이고 어린이는 4,000원입니다. 학생은 20% 할인을 받습니다.\n\n## 강습\n\n어린이 수영 강습은 10주 동안 진행됩니다. 시작 일주일 전까지 무료로 취소할 수 있습니다.\n",
		unanswerable: "스페인의 수도는 어디입니까?",
		source:       "*출처:",
		answers: map[string]string{
			"어린이 입장료는 얼마예요?": "4,000원", "수영장은 몇 시에 문을 여나요?": "오전 7시", "학생 할인이 있나요?": "20%",
		},
	},
	"thai": {
		text:         "# สระว่ายน้ำ\n\n## เวลาทำการ\n\nสระว่ายน้ำเปิดวันจันทร์ถึงวันศุกร์ เวลา 7.00 ถึง 21.00 น. วันอาทิตย์ปิด\n\n## ราคา\n\nค่าเข้าสำหรับผู้ใหญ่ 100 บาท เด็ก 50 บาท นักเรียนได้รับส่วนลด 20%\n\n## คอร์สเรียน\n\nคอร์สว่ายน้ำสำหรับเด็กใช้เวลาสิบสัปดาห์ ยกเลิกได้ฟรีก่อนเริ่มหนึ่งสัปดาห์\n",
		unanswerable: "เมืองหลวงของสเปนคืออะไร",
		source:       "*แหล่งที่มา:",
		answers: map[string]string{
			"ค่าเข้าเด็กเท่าไหร่": "50 บาท", "สระว่ายน้ำเปิดกี่โมง": "7.00", "มีส่วนลดนักเรียนไหม": "20%",
		},
	},
	"hebrew": {
		text:         "# בריכת השחייה\n\n## שעות פתיחה\n\nהבריכה פתוחה בימים שני עד שישי משעה 7:00 עד 21:00. ביום ראשון הבריכה סגורה.\n\n## מחירים\n\nהכניסה למבוגרים עולה 40 שקלים ולילדים 20 שקלים. סטודנטים מקבלים הנחה של 20 אחוז.\n\n## קורסים\n\nקורסי השחייה לילדים נמשכים עשרה שבועות. אפשר לבטל בחינם עד שבוע לפני ההתחלה.\n",
		unanswerable: "מה בירת ספרד?",
		source:       "*מקור:",
		answers: map[string]string{
			"כמה עולה כניסה לילד?": "20 שקלים", "מתי הבריכה נפתחת?": "7:00", "האם יש הנחה לסטודנטים?": "20 אחוז",
		},
	},
}

func TestAnswersInMoreLanguages(t *testing.T) {
	t.Parallel()
	for language, page := range plainPages {
		asked := newBusiness(t, pages(page.text))
		t.Run("questions in "+language+" are answered by the right passage, with its source in their language", func(t *testing.T) {
			for question, contains := range page.answers {
				if r := asked.ask(t, question); !r.isRight(contains, "") || !strings.Contains(r.text, page.source) {
					t.Errorf("%s\n%s", question, r.text)
				}
			}
			if r := asked.ask(t, page.unanswerable); r.answered {
				t.Errorf("%s\n%s", page.unanswerable, r.text)
			}
		})
	}
}
