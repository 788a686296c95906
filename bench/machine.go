package bench

import (
	"bufio"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Machine is what the figures were read on.
type Machine struct {
	CPU    string `json:"cpu"`
	Cores  int    `json:"cores"`
	Memory string `json:"memory"`
	Kernel string `json:"kernel"`
	Go     string `json:"go"`
	// Disk is the file system that the databases are on, and Sync the median
	// time of writing 4 KiB to a file there and syncing them.
	Disk string        `json:"disk"`
	Sync time.Duration `json:"sync_ns"`
	// Postgres is the server's version, if there is one.
	Postgres string `json:"postgres,omitempty"`
}

// readMachine describes this machine, with the disk that dir is on.
func readMachine(dir string) (Machine, error) {
	sync, err := syncTime(dir)
	if err != nil {
		return Machine{}, err
	}
	return Machine{
		CPU:    field("/proc/cpuinfo", "model name"),
		Cores:  runtime.GOMAXPROCS(0),
		Memory: field("/proc/meminfo", "MemTotal"),
		Kernel: firstLine("/proc/sys/kernel/osrelease"),
		Go:     runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH,
		Disk:   fileSystem(dir), Sync: sync,
	}, nil
}

// field returns the value of the first line "name: value" of a file, or
// "unknown".
func field(path, name string) string {
	file, err := os.Open(path)
	if err != nil {
		return "unknown"
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		key, value, ok := strings.Cut(lines.Text(), ":")
		if ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}

func firstLine(path string) string {
	content, err := os.ReadFile(path)
	if err != nil {
		return "unknown"
	}
	line, _, _ := strings.Cut(string(content), "\n")
	return line
}

// fileSystem names the common file systems by the numbers of statfs(2).
func fileSystem(dir string) string {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(dir, &stat); err != nil {
		return "unknown"
	}
	switch uint32(stat.Type) {
	case 0xef53:
		return "ext4"
	case 0x58465342:
		return "xfs"
	case 0x9123683e:
		return "btrfs"
	case 0x794c7630:
		return "overlayfs"
	case 0x01021994:
		return "tmpfs, which has nothing to sync: set TMPDIR to a directory on a disk"
	default:
		return "unknown"
	}
}

// syncTime returns the median time of a durable write of 4 KiB.
func syncTime(dir string) (time.Duration, error) {
	const writes = 101
	file, err := os.Create(filepath.Join(dir, "sync"))
	if err != nil {
		return 0, err
	}
	defer file.Close()
	times := make([]time.Duration, writes)
	for i := range times {
		start := time.Now()
		if _, err := file.Write(make([]byte, 4<<10)); err != nil {
			return 0, err
		}
		if err := file.Sync(); err != nil {
			return 0, err
		}
		times[i] = time.Since(start)
	}
	slices.Sort(times)
	return times[writes/2], nil
}
