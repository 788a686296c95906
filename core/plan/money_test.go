package plan

import "testing"

func TestMoney(t *testing.T) {
	for _, c := range []struct {
		amount         int
		currency, want string
	}{
		{79_00, "usd", "79.00 USD"},
		{2_990_05, "eur", "2,990.05 EUR"},
		{0, "usd", "0.00 USD"},
		{-19_00, "usd", "-19.00 USD"},
		{-5, "usd", "-0.05 USD"},
		{1_500, "jpy", "1,500 JPY"},
		{500, "krw", "500 KRW"},
		{5_120, "kwd", "5.120 KWD"},
		{500, "ugx", "5.00 UGX"},
		{500, "EUR", "5.00 EUR"},
	} {
		t.Run(c.want, func(t *testing.T) {
			if got := Money(c.amount, c.currency); got != c.want {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestEvery(t *testing.T) {
	for _, c := range []struct {
		amount   int
		interval Interval
		want     string
	}{
		{79_00, Monthly, "79.00 USD a month"},
		{790_00, Yearly, "790.00 USD a year"},
		{79_00, "", "79.00 USD"},
		{0, Monthly, ""},
		{NotSold, Monthly, ""},
	} {
		if got := Every(c.amount, "usd", c.interval); got != c.want {
			t.Errorf("%d %s is %q, want %q", c.amount, c.interval, got, c.want)
		}
	}
}
