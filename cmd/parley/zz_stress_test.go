package main

import "testing"

func TestZZStress(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, start func(...func(*Config)) *world) {
		w := start()
		defer func() {
			if t.Failed() {
				t.Log(w.log.String())
			}
		}()
		for i := range 12 {
			w.newEstate("quillon" + string(rune('a'+i)))
		}
	})
}
