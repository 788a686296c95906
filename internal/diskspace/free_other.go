//go:build !linux && !darwin && !freebsd

package diskspace

import "errors"

func roomOf(string) (free, size uint64, err error) { return 0, 0, errors.ErrUnsupported }
