package plan

import (
	"fmt"
	"strconv"
	"strings"
)

// withoutDecimals lists the currencies without a smaller unit:
// https://docs.stripe.com/currencies#zero-decimal. Stripe counts UGX in hundredths
// although it has none.
var withoutDecimals = map[string]bool{
	"bif": true, "clp": true, "djf": true, "gnf": true, "jpy": true, "kmf": true, "krw": true, "mga": true,
	"pyg": true, "rwf": true, "vnd": true, "vuv": true, "xaf": true, "xof": true, "xpf": true,
}

// withThreeDecimals lists the currencies with a thousand smallest units.
var withThreeDecimals = map[string]bool{"bhd": true, "jod": true, "kwd": true, "omr": true, "tnd": true}

// Money formats an amount in a currency's smallest unit, such as 2,990.00 USD.
func Money(amount int, currency string) string {
	currency = strings.ToLower(currency)
	decimals, unit := 2, 100
	switch {
	case withoutDecimals[currency]:
		decimals, unit = 0, 1
	case withThreeDecimals[currency]:
		decimals, unit = 3, 1000
	}
	sign := ""
	if amount < 0 {
		sign, amount = "-", -amount
	}
	written := sign + Thousands(amount/unit)
	if decimals > 0 {
		written += fmt.Sprintf(".%0*d", decimals, amount%unit)
	}
	return written + " " + strings.ToUpper(currency)
}

// Every is Money with the interval, such as 79.00 USD a month. It is empty for an
// amount that is not above zero.
func Every(amount int, currency string, interval Interval) string {
	switch {
	case amount <= 0:
		return ""
	case interval == Yearly:
		return Money(amount, currency) + " a year"
	case interval == Monthly:
		return Money(amount, currency) + " a month"
	}
	return Money(amount, currency)
}

// Thousands formats a number of at least 0 with commas.
func Thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
