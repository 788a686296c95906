package document

import (
	"strings"
	"testing"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"parley/core/fault"
)

// written are short texts in encodings that they do not declare.
var written = []struct{ label, text string }{
	{"gbk", "产品,价格\n红茶,三十八元\n咖啡,四十二元\n"},
	{"gbk", "营业时间：周一至周五 9:00-18:00"},
	{"gbk", "退货请在七天内联系客服。"},
	{"gb18030", "名称;数量\n螺丝;12\n𠮷野家;3"},
	{"gbk", "姓名,城市\nAnna,北京\nBob,上海"},
	{"big5", "商品,價格\n紅茶,三十八元\n"},
	{"big5", "退貨請於七天內聯絡客服。"},
	{"big5", "營業時間：週一至週五 9:00-18:00"},
	{"shift_jis", "商品,価格\n紅茶,三百八十円\n"},
	{"shift_jis", "返品は七日以内にお願いします。"},
	{"shift_jis", "ｺｰﾋｰ;ｶｯﾌﾟ\n8;12\nｹｰｷ;9"},
	{"shift_jis", "コーヒー\n紅茶\nソーダ"},
	{"euc-jp", "商品,価格\n紅茶,三百八十円\n"},
	{"euc-jp", "返品は七日以内にお願いします。"},
	{"iso-2022-jp", "返品は七日以内にお願いします。"},
	{"euc-kr", "상품,가격\n홍차,삼천팔백원\n"},
	{"euc-kr", "반품은 7일 이내에 가능합니다."},
	{"koi8-r", "Товар;Цена\nЧай;38 рублей\n"},
	{"koi8-r", "Магазин открыт с девяти утра."},
	{"koi8-u", "Крамниця відчинена щодня, їжа також є."},
	{"windows-1251", "Товар;Цена\nЧай;38 рублей\n"},
	{"windows-1251", "Магазин открыт с девяти утра."},
	{"windows-1251", "ЦЕНЫ НА ДОСТАВКУ ТОВАРА"},
	{"windows-1251", "Крамниця відчинена щодня, їжа також є."},
	{"windows-1251", "Магазинът работи всеки ден."},
	{"iso-8859-5", "Магазин открыт с девяти утра."},
	{"ibm866", "Магазин открыт с девяти утра."},
	{"windows-1252", "Preis für Grüße: 5 €"},
	{"windows-1252", "Café;crème brûlée"},
	{"windows-1252", "Größe;Preis\nklein;5\n"},
	{"windows-1252", "The “small” room – it’s 12 m² and costs £5"},
	{"windows-1252", "¿Cuánto cuesta el envío mañana?"},
	{"windows-1252", "Não é possível a devolução após 7 dias."},
	{"windows-1252", "Smörgås och blåbär på måndag"},
	{"windows-1252", "Rødgrød med fløde på lørdag"},
	{"windows-1252", "GRÖSSE ÜBERSICHT"},
	{"windows-1252", "Müller"},
	{"windows-1252", "The price is 5 €."},
	{"windows-1252", "It’s 20 °C, 1 ½ off"},
	{"windows-1252", "Þú getur skilað vörunni innan sjö daga"},
	{"windows-1252", "City,Price\nSão Paulo,12\n"},
	{"windows-1252", "Copyright © Example Ltd"},
	{"windows-1252", "• bread\n• butter – 10–12 May"},
	{"windows-1252", "città;prezzo\nForlì;5"},
	{"windows-1250", "Příliš žluťoučký kůň"},
	{"windows-1250", "Cena;Ilość\nŁóżko;3\nŚwieca;5"},
	{"windows-1250", "Könyvek és ajándékok őszi vására, tűzifa"},
	{"windows-1250", "Šaty;čižmy\nžltá;3"},
	{"windows-1250", "Trgovina je odprta v četrtek, žal šele ob devetih"},
	{"iso-8859-2", "Cena;Ilość\nŁóżko;3\nŚwieca;5"},
	{"iso-8859-2", "Příliš žluťoučký kůň"},
	{"windows-1253", "Προϊόν;Τιμή\nΤσάι;38 ευρώ"},
	{"windows-1253", "Άνοιξη: το κατάστημα ανοίγει στις εννέα, 5 €"},
	{"iso-8859-7", "Το κατάστημα ανοίγει στις εννέα. Άνοιξη"},
	{"windows-1254", "Ürün;Fiyat\nKırmızı şarap;38\nÇay bardağı;5"},
	{"windows-1254", "Mağaza sabah dokuzda açılır."},
	{"windows-1255", "מוצר,מחיר\nתה,שלושים\n"},
	{"iso-8859-8", "החנות נפתחת בתשע"},
	{"windows-1256", "المنتج,السعر\nشاي,ثلاثون\n"},
	{"iso-8859-6", "المتجر يفتح في التاسعة"},
	{"windows-1257", "Prekė;Kaina\nŽalioji arbata;5\nKavos puodelių rinkinys;9"},
	{"windows-1257", "Veikals tiek atvērts deviņos no rīta"},
	{"iso-8859-4", "Veikals tiek atvērts deviņos no rīta"},
	{"iso-8859-15", "Prix: 5 € pour un cœur"},
	{"windows-1250", "Magazinul se deschide la ora nouă şi ţine până seara în piaţă"},
	{"iso-8859-3", "La vendejo malfermiĝas je la naŭa, ĉiutage"},
	{"windows-874", "สินค้า,ราคา\nชา,สามสิบแปดบาท"},
	{"macintosh", "Größe;Preis für Grüße\n"},
	{"macintosh", "Café;crème brûlée"},
	{"cp850", "Größe;Preis für Grüße\n"},
	{"cp852", "Cena;Ilość\nŁóżko;3\nŚwieca;5"},
}

func encodingOf(label string) encoding.Encoding {
	switch label {
	case "cp850":
		return charmap.CodePage850
	case "cp852":
		return charmap.CodePage852
	}
	found, _ := charset.Lookup(label)
	return found
}

func TestDecodeGuesses(t *testing.T) {
	for _, c := range written {
		t.Run(c.label+" is read as such: "+c.text, func(t *testing.T) {
			body, err := encodingOf(c.label).NewEncoder().Bytes([]byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := Decode(body, "", ""); err != nil || got != c.text {
				t.Errorf("got %q and %v", got, err)
			}
			later := append([]byte(strings.Repeat("This line is plain.\n", 10_000)), body...)
			if got, err := Decode(later, "text/plain", ""); err != nil || !strings.HasSuffix(got, c.text) {
				t.Errorf("behind 200 KB of ASCII: got %q and %v", got[max(0, len(got)-len(c.text)):], err)
			}
		})
	}
}

func TestDecodeRefusesDoubt(t *testing.T) {
	for name, body := range map[string]string{
		"one letter of any script":    "\xe0",
		"three letters of any script": "\xd7\xe0\xe9",
		"every byte once":             everyByte(),
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := Decode([]byte(body), "", ""); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "UTF-8") {
				t.Errorf("got %q and %v", got, err)
			}
		})
	}
}

func TestDecodeKnowsUTF16WithoutItsMark(t *testing.T) {
	for _, text := range []string{"hello, everybody", "Магазин открыт с девяти утра.\n", "产品,价格\n红茶,三十八元\n", "返品は七日以内に。お願いします", "상품,가격\n홍차,삼천팔백원\n", "Größe\t5\r\n", "Τιμή: 5 €", "מוצר, מחיר"} {
		for name, order := range map[string]encoding.Encoding{"LE": unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), "BE": unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)} {
			body, err := order.NewEncoder().Bytes([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := Decode(body, "", ""); err != nil || got != text {
				t.Errorf("UTF-16%s: got %q and %v, want %q", name, got, err, text)
			}
		}
	}
}

func everyByte() string {
	var b strings.Builder
	for c := 0x80; c <= 0xff; c++ {
		b.WriteByte(byte(c))
	}
	return b.String()
}
