package extract

import (
	"testing"

	"parley/core/fault"
	"parley/internal/smalldisk"
)

func TestFullTemporaryFolder(t *testing.T) {
	smalldisk.Run(t, "size=1m,nr_inodes=20", func(d *smalldisk.Disk) {
		d.Setenv("TMPDIR", d.Dir)
		e := newExtractor(d, Limits{})
		free := d.TakeInodes()
		if err := e.Check(d.Context()); !fault.IsOutOfStorage(err) {
			d.Errorf("with a full temporary folder: %v", err)
		}
		free()
		if err := e.Check(d.Context()); fault.IsOutOfStorage(err) {
			d.Errorf("when there is room again: %v", err)
		}
	})
}
