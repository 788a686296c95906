package quote

import (
	"strings"
	"unicode/utf8"
)

// english are the English words that say nothing about a subject, and foreign those
// of German, French, Spanish, Italian, Dutch, Portuguese and Chinese.
var (
	english = wordSet(`a about above after again all also am an and any anything are as at be because been before being
both but by can cannot could did do does doing done down during each else ever few for from further get gets give go goes
got had has have having he her here hers him his how i if in into is it its itself just know let
made make many may me might more most much must my need no nor not of off on once one only or other our out over own
please re same say shall she should so some something such tell than thank thanks that the their them then there these they
thing this those through to too under until up upon us use used using very via want was way we were what when where
which while who whom whose why will with within without would yes you your yours s t ll ve d m don doesn isn`)
	foreign = wordSet(`aber als am an auch auf aus bei bin bis das dass dem den der des die du ein eine einem einen einer es für geht gibt
hat habe haben ich ihr im in ist kann kein man mein mit muss nach nicht noch oder sich sie sind so und uns
von vor war warum was wenn wer werden wie wir wird wo zu zum zur über
au aux avec ce ces cette comment dans de des du elle en est et il ils je la le les leur ma mon nous ou où par pas
pour pourquoi quand que quel quelle qui sa se ses son sont sur un une vous
como con cual cuando cómo del donde el en es esta este hay la las lo los mi para pero por puedo que qué se si sin son
su sus un una y
che chi come cosa da dal del della di dove e gli ha il io le mi nel non per posso quando sono
aan dat de een en het hoe ik je kan met naar niet of op te van voor waar wat wie zijn
ao com da das do dos ele em não na no nos o os ou quem uma um
多少 几点 时候`)
	stopwords = joined(english, foreign)
	// measures are English words that ask with "how" before them, and say nothing then.
	measures = wordSet(`big deep early far fast heavy high large late long many much often old small soon tall wide`)
	// takes are words that ask how long something takes.
	takes = wordSet(`take takes taking`)
	// moving are English words that mean to return something, with "back" after them.
	moving = wordSet(`bring give hand send ship take`)
	// vague are English words that ask rather than name.
	vague = wordSet(`able accept accepted allowed available describe detail details exist existing explain find guess happen happens help info information kind know
like lot mean method methods need needed number offer offers possible provide provides question questions say sort take takes talk think understand want wanted way ways wonder work works`)
)

// alike are English words that businesses and their customers use for the same.
var alike = alikeOf(func(word string) string { return word },
	"cost costs price prices fee fees rate rates", "buy purchase", "phone telephone", "mail email",
	"delete remove erase", "photo picture image", "begin start", "end finish",
)

// alikeForms are such words in all their forms, and forms that no suffix tells, by their roots.
var alikeForms = alikeOf(func(word string) string { return string(stem([]byte(word))) },
	"fix repair mend", "kid child children", "package parcel", "ship delivery shipment", "bike bicycle", "job vacancy career", "sell sold", "buy bought",
	"pay paid payment", "lose lost", "break broke broken", "steal stole stolen theft", "complain complaint", "flat puncture", "arrive arrival", "ride rode ridden", "bring brought",
)

// alikeTo returns the roots of the words that are like a word.
func alikeTo(word string) []string {
	return append(alike[word], alikeForms[string(stem([]byte(word)))]...)
}

// isEnglish reports whether a question may be English: it has no letters that English
// lacks, and not more small words of other languages than of English.
func isEnglish(question string) bool {
	balance, ascii := 0, true
	for i := range len(question) {
		ascii = ascii && question[i] < utf8.RuneSelf
	}
	eachWord(question, func(word []byte) {
		isEnglish, isForeign := english[string(word)], foreign[string(word)]
		switch {
		case isEnglish && !isForeign:
			balance++
		case isForeign && !isEnglish:
			balance--
		}
	})
	return balance > 0 || balance == 0 && ascii
}

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(list) {
		set[word] = true
	}
	return set
}

// alikeOf maps the key of each word of a list to the roots of all.
func alikeOf(key func(word string) string, lists ...string) map[string][]string {
	all := map[string][]string{}
	for _, list := range lists {
		words := strings.Fields(list)
		roots := make([]string, len(words))
		for i, word := range words {
			roots[i] = string(stem([]byte(word)))
		}
		for _, word := range words {
			all[key(word)] = roots
		}
	}
	return all
}

func joined(sets ...map[string]bool) map[string]bool {
	all := map[string]bool{}
	for _, set := range sets {
		for word := range set {
			all[word] = true
		}
	}
	return all
}
