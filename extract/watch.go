package extract

import (
	"os"
	"runtime/metrics"
	"time"
)

// watchEvery is how often a child's memory is looked at. Within it a child
// can take some 50 MB more than it may.
const watchEvery = 20 * time.Millisecond

// watchSelf ends the child when it has taken more memory than it may. It is
// the first watch, and on systems other than Linux the only one: it cannot
// look while the garbage collector waits for a loop that does not end, which
// the parent's can. It also ends the child when its parent has died: nobody
// would read the answer.
func watchSelf(limit int64) {
	parent := os.Getppid()
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	for {
		metrics.Read(sample)
		if int64(sample[0].Value.Uint64()-sample[1].Value.Uint64()) > limit {
			os.Exit(exitMemory)
		}
		if os.Getppid() != parent {
			os.Exit(exitInternal)
		}
		time.Sleep(watchEvery)
	}
}
