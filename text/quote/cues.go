package quote

import (
	"regexp"
	"strings"

	"parley/text/language/kinds"
)

// cues are what the small words of a question say about its answer.
type cues struct {
	// number says that the question asks for a number, a time or a price.
	number bool
	// negated says that it asks what is not so.
	negated bool
	// defines says that it asks what something is.
	defines bool
	// acts says that it asks how something is done.
	acts bool
	// wants is what kind of answer it asks for, if that is clear.
	wants wanted
	// inflected says that the question is in another language than English, and kinds are
	// that language's, if it has any.
	inflected bool
	kinds     *kinds.Kinds
}

// wanted is a kind of answer that can be told by how it is written.
type wanted = kinds.Kind

const (
	anything = kinds.Anything
	price    = kinds.Price
	duration = kinds.Duration
	moment   = kinds.Moment
	distance = kinds.Distance
	phone    = kinds.Phone
	email    = kinds.Email
	place    = kinds.Place
)

func cuesOf(question string, wants wanted) cues {
	return cues{number: hasAny(question, quantities), negated: denies(question), wants: wants, acts: acting.MatchString(question), defines: definitions.MatchString(question)}
}

// quantities are words of questions that ask for a number, a time or a price.
var quantities = wordSet(`many much long old far often tall high big when cost costs price prices fee fees phone number date
wann viel viele lange kostet kosten preis combien quand prix coûte coûtent cuánto cuánta cuántos cuándo precio cuesta quanto quando prezzo costa hoeveel wanneer`)

// negations are words that deny. "Don't" is read as "don" and "t".
var negations = wordSet(`not cannot never don doesn isn aren won nicht kein keine keinen pas jamais nunca niet geen`)

// denies reports whether a question asks what is not so: not "Can I return what I don't like?"
func denies(question string) bool {
	return hasAny(question, negations) && hasAny(disliking.ReplaceAllString(question, " "), negations)
}

// disliking says what somebody thinks of a thing, and not what is not so.
var disliking = regexp.MustCompile(`(?i)\b(?:i|we) (?:don['’]?t|didn['’]?t|do not|did not) (?:like|want|need|use)\b`)

// What questions for each kind of answer have: a word, or two that stand together.
var (
	forms = map[string]wanted{
		"cost": price, "costs": price, "price": price, "prices": price, "fee": price, "fees": price, "kostet": price, "kosten": price, "preis": price, "prix": price, "tarif": price,
		"tarifs": price, "coûte": price, "coûtent": price, "precio": price, "cuesta": price, "cuestan": price, "prezzo": price, "costa": price, "preço": price, "custa": price, "kost": price,
		"how much": price, "how long": duration, "wie lange": duration, "de temps": duration, "cuánto tiempo": duration, "quanto tempo": duration, "hoe lang": duration,
		"when": moment, "what time": moment, "wann": moment, "quand": moment, "quelle heure": moment, "cuándo": moment, "qué hora": moment, "quando": moment, "wanneer": moment, "horaires": moment,
		"teuer": price, "стоит": price, "цена": price, "стоимость": price, "سعر": price, "كم": price, "多少": price, "öffnungszeiten": moment, "horaire": moment, "horario": moment, "horarios": moment,
		"horário": moment, "orari": moment, "когда": moment, "скольки": moment, "متى": moment, "几点": moment, "何時": moment,
		"how far": distance, "wie weit": distance, "phone": phone, "telephone": phone, "telefonnummer": phone, "téléphone": phone, "teléfono": phone, "telefono": phone,
		"where": place, "wo": place, "où": place, "dónde": place, "dove": place, "onde": place, "waar": place, "address": place, "adresse": place, "located": place,
		"email": email, "e mail": email, "mail address": email, "courriel": email,
	}
	// Answers of each kind have one of these words.
	durations = wordSet(`second seconds minute minutes hour hours day days week weeks month months year years sekunden minuten stunde stunden tag tage tagen woche wochen monat monate monaten jahr jahre jahren
		jour jours semaine semaines mois an ans heure heures día días semana semanas mes meses año años hora horas giorno giorni settimana settimane mese mesi anno anni ora ore dia dias mês ano anos
		dagen weken maanden jaar uur`)
	moments = wordSet(`am pm o'clock noon midnight uhr morning evening monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays january february march april
		june july august september october november december montag dienstag mittwoch donnerstag freitag samstag sonntag montags dienstags mittwochs donnerstags freitags samstags sonntags
		lundi mardi mercredi jeudi vendredi samedi dimanche midi minuit lunes martes miércoles jueves viernes sábado domingo lunedì martedì mercoledì giovedì venerdì sabato domenica`)
	distances = wordSet(`mile miles km kilometer kilometers kilometre kilometres meter meters metre metres yards feet block blocks`)
	places    = wordSet(`street avenue road square lane boulevard building floor located address stop station straße platz weg etage rue avenue boulevard place étage calle avenida plaza via piazza rua`)
	free      = wordSet(`free kostenlos kostenfrei gratis gratuit gratuite gratuitement grátis dollar dollars euro euros cents pounds`)
)

// acting asks how something is done.
var acting = regexp.MustCompile(`(?i)\bhow (?:do|can|could|should|would|must) (?:i|we|you|one)\b|\bhow to\b`)

// definitions ask what something is, in a few words.
var definitions = regexp.MustCompile(`(?i)^\s*what(?:'s|’s| is| are| does) (?:an? |the )?(?:\S+ ){0,2}\S+\s*$`)

// wantedBy is the kind of answer that a question asks for. Two words tell more than one,
// and of several the last: "How long before I get the price?" asks how long.
func wantedBy(question string) (found wanted) {
	before, pair := "", false
	eachWord(question, func(word []byte) {
		if kind := forms[before+" "+string(word)]; kind != anything && !pair {
			found, pair = kind, true
		} else if kind := forms[string(word)]; kind != anything && !pair && found == anything {
			found = kind
		}
		before = string(word)
	})
	return found
}

// fits reports whether a text may be an answer of the kind that is wanted.
func (c cues) fits(text string) bool {
	return c.wants != anything && (isLike(c.wants, text) || c.kinds != nil && c.kinds.Fits(c.wants, text))
}

// isLike reports whether a text may be an answer of a kind, by words that no language needs
// to be known for.
func isLike(w wanted, text string) bool {
	switch w {
	case price:
		return strings.ContainsAny(text, "$€£¥₽元円") || hasAny(text, free)
	case duration:
		return hasAny(text, durations)
	case moment:
		return hasClock(text) || hasDigit(text) && strings.ContainsAny(text, "时時点") || hasAny(text, moments)
	case distance:
		return hasDigit(text) && hasAny(text, distances)
	case phone:
		return hasDigits(text, 7)
	case place:
		return hasAny(text, places)
	case email:
		return strings.Contains(text, "@")
	}
	return false
}

// address is a number and a name, of which the last word may be "Street".
var address = regexp.MustCompile(`\b[0-9]+[a-z]?,? (?:[A-Z][\w.'’-]* ){1,3}(?i:street|st|avenue|ave|road|rd|square|lane|boulevard|blvd|drive|way|court|place|quay|parade|row)\b`)

// hasClock reports whether a text has a time such as 9:30.
func hasClock(text string) bool {
	at := strings.IndexByte(text, ':')
	return at > 0 && at+2 < len(text) && hasDigit(text[at-1:at]) && hasDigit(text[at+1:at+2])
}

// hasDigits reports whether so many digits stand together, but for signs between them.
func hasDigits(text string, most int) bool {
	n := 0
	for i := range len(text) {
		switch {
		case '0' <= text[i] && text[i] <= '9':
			if n++; n == most {
				return true
			}
		case strings.IndexByte(" -+()/.", text[i]) < 0:
			n = 0
		}
	}
	return false
}

// asksPrice reports whether a question asks what something costs without saying so: "How
// much is it?", and not "How much oil does it need?".
func asksPrice(question string) bool {
	before, found := "", false
	eachWord(question, func(word []byte) {
		found = found || before == "how much" && verbsOfPrice[string(word)]
		if before == "how" && string(word) == "much" {
			before = "how much"
		} else {
			before = string(word)
		}
	})
	return found
}

var verbsOfPrice = wordSet("is are for does do would will was")

func hasAny(text string, words map[string]bool) bool {
	has := false
	eachWord(text, func(word []byte) { has = has || words[string(word)] })
	return has
}

func hasDigit(text string) bool { return strings.ContainsAny(text, "0123456789") }
