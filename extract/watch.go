package extract

import (
	"os"
	"runtime/metrics"
	"time"
)

// watchEvery is how often a child's memory is checked. Between two checks a child
// can exceed its limit by some 50 MB.
const watchEvery = 20 * time.Millisecond

// watchSelf ends the child when it exceeds its memory. It is the first watch, and
// on systems other than Linux the only one. The parent's watch is needed too,
// because this one cannot run while the garbage collector waits for a loop that
// never ends. It also ends the child when its parent has died: nobody would read
// the reply.
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
