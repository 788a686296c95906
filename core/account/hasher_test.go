package account

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"net/netip"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/crypto/argon2"

	"parley/core/fault"
)

var phcShape = regexp.MustCompile(`^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$`)

func hashed(t *testing.T, h *hasher, password string) string {
	t.Helper()
	phc, err := h.hash(t.Context(), netip.Addr{}, password)
	if err != nil {
		t.Fatal(err)
	}
	return phc
}

func wantVerdict(t *testing.T, h *hasher, phc, password string, ok, outdated bool) {
	t.Helper()
	gotOK, gotOutdated, err := h.verify(t.Context(), netip.Addr{}, phc, password)
	if err != nil || gotOK != ok || gotOutdated != outdated {
		t.Errorf("%q against %s: %v, outdated %v, %v; want %v, %v", password, phc, gotOK, gotOutdated, err, ok, outdated)
	}
}

func TestHash(t *testing.T) {
	h := newHasher(rand.Reader, 2, secure)

	t.Run("a hash is a PHC string with the cost and a unique salt", func(t *testing.T) {
		one, other := hashed(t, h, "correct horse"), hashed(t, h, "correct horse")
		if !phcShape.MatchString(one) || one == other {
			t.Errorf("got %s and %s", one, other)
		}
	})

	t.Run("it uses the algorithm that it names", func(t *testing.T) {
		parts := strings.Split(hashed(t, h, "correct horse"), "$")
		salt, err := base64.RawStdEncoding.DecodeString(parts[4])
		if err != nil {
			t.Fatal(err)
		}
		if want := argon2.IDKey([]byte("correct horse"), salt, 2, 19456, 1, 32); base64.RawStdEncoding.EncodeToString(want) != parts[5] {
			t.Errorf("the key is %s", parts[5])
		}
	})

	t.Run("only the same password matches, to the last byte", func(t *testing.T) {
		for password, others := range map[string][]string{
			"correct horse":                  {"", "correct hors", "correct horse ", "Correct horse", "correct horse\x00"},
			strings.Repeat("x", 256):         {strings.Repeat("x", 255), strings.Repeat("x", 72)},
			"pässwörter 🔑🔑":                  {"passworter 🔑🔑", "pässwörter 🔑", "pa\u0308sswo\u0308rte 🔑🔑"},
			strings.Repeat("密", 100) + "end": {strings.Repeat("密", 100), strings.Repeat("密", 100) + "and"},
		} {
			phc := hashed(t, h, password)
			wantVerdict(t, h, phc, password, true, false)
			for _, other := range others {
				wantVerdict(t, h, phc, other, false, false)
			}
		}
	})

	cheap := cost{memory: 8, time: 1, threads: 1}
	t.Run("a password is the same however a keyboard writes its letters", func(t *testing.T) {
		h := newHasher(rand.Reader, 2, cheap)
		for password, others := range map[string][]string{
			"Z\u00fcrich \u00e9t\u00e9": {"Zu\u0308rich e\u0301te\u0301", "Z\u00fcrich\u00a0\u00e9te\u0301", "Z\u00fcrich\u3000\u00e9t\u00e9", "Z\u00fcrich\u1680\u00e9t\u00e9"},
			"\ud55c\uae00 1234":         {"\u1112\u1161\u11ab\u1100\u1173\u11af 1234", "\ud55c\uae00 １２３４"},
			"ガード abc":                   {"ｶﾞｰﾄﾞ ａｂｃ", "カ\u3099ート\u3099 abc"},
			"\u1ec7 \u01d6 \u1e69":      {"e\u0323\u0302 u\u0308\u0304 s\u0307\u0323", "\u1eb9\u0302 \u00fc\u0304 \u1e63\u0307"},
			"office \u212b":             {"o\ufb03ce \u00c5", "office A\u030a"},
		} {
			phc := hashed(t, h, password)
			for _, other := range others {
				wantVerdict(t, h, phc, other, true, false)
				wantVerdict(t, h, hashed(t, h, other), password, true, false)
			}
		}
	})

	t.Run("a hash from before passwords were normalized matches what was typed then, and should be replaced", func(t *testing.T) {
		h := newHasher(rand.Reader, 2, cheap)
		salt := bytes.Repeat([]byte{7}, saltLen)
		for typed, normal := range map[string]string{"cafe\u0301 cre\u0300me": "caf\u00e9 cr\u00e8me", "ｐａｓｓ ｗｏｒｄ": "pass word"} {
			old := phc(cheap, salt, cheap.key([]byte(typed), salt))
			wantVerdict(t, h, old, typed, true, true)
			wantVerdict(t, h, old, normal, false, false)
			wantVerdict(t, h, old, typed+"x", false, false)
		}
	})

	t.Run("a hash of another cost still matches, and should be replaced", func(t *testing.T) {
		salt := bytes.Repeat([]byte{7}, saltLen)
		for _, other := range []cost{
			{secure.memory / 2, secure.time, secure.threads}, {secure.memory, secure.time + 1, secure.threads}, {secure.memory, secure.time, secure.threads + 1},
		} {
			phc := phc(other, salt, other.key([]byte("correct horse"), salt))
			wantVerdict(t, h, phc, "correct horse", true, true)
			wantVerdict(t, h, phc, "wrong", false, true)
		}
	})

	t.Run("an invalid argon2id hash, or one that matches everything, is an error", func(t *testing.T) {
		good := hashed(t, h, "correct horse")
		for _, phc := range []string{
			"", "correct horse", "$2a$10$abcdefghijklmnopqrstuv", strings.Replace(good, "argon2id", "argon2i", 1),
			strings.Replace(good, "m=", "x=", 1), good[:len(good)-43], good + "!", strings.Replace(good, "t=2", "t=0", 1),
			strings.Replace(good, "p=1", "p=0", 1),
		} {
			if ok, _, err := h.verify(t.Context(), netip.Addr{}, phc, "correct horse"); ok || err == nil {
				t.Errorf("%q gives %v, %v", phc, ok, err)
			}
		}
	})
}

func TestCheckPassword(t *testing.T) {
	for password, ok := range map[string]bool{
		"":                       false,
		"123456789":              false,
		"1234567890":             false, // among the most common
		"QwertyUIOP":             false,
		"7 p'9x-0q=":             true,
		"owner.name@example.com": false,
		"Owner.Name@Example.com": false,
		"OWNER.NAME":             false,
		"owner.name 7":           true,
		strings.Repeat("密", 9):   false,
		strings.Repeat("密", 10):  true,
		strings.Repeat("密", 256): true,
		strings.Repeat("x", 257): false,
		// However they are typed:
		"e\u0301te\u0301e\u0301te\u0301": false, // six letters
		strings.Repeat("e\u0301", 256):   true,
		"\ufdfa":                         false, // one sign, which stands for eighteen letters
		"ＱｗｅｒｔｙＵＩＯＰ":                     false,
		"ｏｗｎｅｒ.ｎａｍｅ＠example.com":         false,
	} {
		err := checkPassword(password, "owner.name@example.com")
		if (err == nil) != ok || err != nil && fault.As(err).Field != "password" {
			t.Errorf("a password of %d bytes gives %v", len(password), err)
		}
	}
}
