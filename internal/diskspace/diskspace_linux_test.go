package diskspace_test

import (
	"os"
	"testing"

	"parley/internal/diskspace"
	"parley/internal/smalldisk"
)

func TestProbe(t *testing.T) {
	smalldisk.Run(t, "size=4m,nr_inodes=50", func(d *smalldisk.Disk) {
		for what, take := range map[string]func() func(){"full": d.Fill, "without inodes": d.TakeInodes, "read-only": d.ReadOnly} {
			t.Run("a disk that is "+what+" takes nothing, and later does", func(t *testing.T) {
				free := take()
				err := diskspace.Probe(d.Dir)
				free()
				if !diskspace.Says(err) {
					t.Errorf("the probe says %v", err)
				}
				if err := diskspace.Probe(d.Dir); err != nil {
					t.Errorf("with room it says %v", err)
				}
				if left, err := os.ReadDir(d.Dir); err != nil || len(left) > 0 {
					t.Errorf("it left %v, %v", left, err)
				}
			})
		}
	})
}
