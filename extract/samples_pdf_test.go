package extract

import "fmt"

// twoColumns is a paper: a title over both columns, lines that do not align
// between the columns, a hyphenated word, and a footer on each page.
func twoColumns() []byte {
	left := lines(50, 700, 10, "F",
		"Guests who stay for more than one night", "may leave their bicycles in the room be-", "hind the kitchen. The key hangs at the",
		"reception, and must be back before ten", "in the evening.", "In winter the room is heated, so that",
		"wet clothes may dry there as well. Please", "do not put anything on the heaters.")
	right := lines(310, 694, 10, "F",
		"The sauna opens at four o'clock in the", "afternoon and closes at ten. Towels are", "in the cupboard on the left.",
		"Children under twelve need an adult with", "them, and the steam room is for adults", "only. The whole floor is quiet.",
		"Offices are on the second floor. Their", "doors open with the room's card.")
	page := text(50, 780, 20, "B", "House rules of the Harbour Hotel") + text(50, 752, 10, "F", "These rules hold for all guests of the hotel and for those who visit them, in the house and in the garden.") +
		text(50, 725, 13, "B", "Common rooms") + left + right
	var pages []string
	for i := range 3 {
		content := lines(50, 700, 10, "F", fmt.Sprintf("Page %d says something else about the house,", i+1), "in two lines.")
		if i == 0 {
			content = page
		}
		pages = append(pages, content+text(50, 30, 8, "F", "Harbour Hotel, 1 Quay Street")+text(500, 30, 8, "F", fmt.Sprintf("Page %d of 3", i+1)))
	}
	return pdfFile{pages: pages}.bytes()
}

// longTable is a price list over two pages that repeats its header.
func longTable() []byte {
	row := func(y float64, font string, cells ...string) string {
		return text(50, y, 10, font, cells[0]) + text(200, y, 10, font, cells[1]) + text(420, y, 10, font, cells[2])
	}
	header := func(y float64) string { return row(y, "B", "Article", "Description", "Price") }
	first := text(50, 780, 18, "B", "Price list") + text(50, 755, 10, "F", "All prices are in euros and hold until the end of the year.") + header(720)
	second := header(780)
	for i := range 5 {
		y := 700 - float64(i)*26
		first += row(y, "F", fmt.Sprintf("A-10%d", i), fmt.Sprintf("Screw of size M%d, zinc", i+2), fmt.Sprintf("%d.90", i+1)) +
			text(200, y-11, 10, "F", "in boxes of a hundred")
		second += row(760-float64(i)*20, "F", fmt.Sprintf("B-20%d", i), fmt.Sprintf("Dowel %d mm", i+4), fmt.Sprintf("%d.50", i+2))
	}
	second += text(50, 600, 10, "F", "Orders of more than a hundred euros are sent for free.")
	return pdfFile{pages: []string{first, second}}.bytes()
}

// plainPDF has headings, paragraphs and a list.
func plainPDF() []byte {
	return pdfFile{pages: []string{
		text(50, 780, 22, "B", "User manual") + text(50, 740, 14, "B", "1 Getting started") +
			lines(50, 718, 11, "F", "Press the button on the back for three seconds. The light turns", "green (\xfe is no letter here), and the device is ready.") +
			text(50, 680, 11, "F", "You need:") +
			lines(60, 660, 11, "F", "\x95 a screwdriver", "\x95 two batteries of the type AA, which are not in the", "  box", "\x95 some patience") +
			text(50, 590, 11, "B", "Warning") + text(50, 574, 11, "F", "Do not open the case."),
		text(50, 780, 14, "B", "2 Care") + text(50, 758, 11, "F", "Clean it with a dry cloth."),
	}}.bytes()
}

// turnedPDF is a page displayed in landscape: its text runs upward, and the page
// is rotated. A stamp runs along its margin.
func turnedPDF() []byte {
	at := func(x, y float64, s string) string {
		return fmt.Sprintf("BT /F 12 Tf 0 1 -1 0 %g %g Tm (%s) Tj ET\n", 595-y, x, s)
	}
	return pdfFile{
		pages: []string{at(50, 500, "Room") + at(200, 500, "Seats") + at(400, 500, "Price") +
			at(50, 470, "Harbour") + at(200, 470, "12") + at(400, 470, "90") + at(50, 440, "Mill") + at(200, 440, "40") + at(400, 440, "250") +
			text(100, 20, 8, "F", "Confidential copy")},
		extra: map[int]string{5: "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Rotate 90 /Contents 6 0 R /Resources << /Font << /F 3 0 R >> >> >>"},
	}.bytes()
}

// scannedPDF has an image on its page and no text.
func scannedPDF() []byte {
	return pdfFile{
		pages: []string{"q 500 0 0 700 50 50 cm /Im Do Q\n"},
		extra: map[int]string{900: stream("/Type /XObject /Subtype /Image /Width 2 /Height 2 /ColorSpace /DeviceGray /BitsPerComponent 8", "\x00\xff\xff\x00")},
	}.bytes()
}

func lockedPDF() []byte {
	return pdfFile{pages: []string{text(50, 700, 12, "F", "Secret")}, password: "open sesame"}.bytes()
}
