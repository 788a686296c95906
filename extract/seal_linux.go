package extract

import (
	"fmt"
	"os"
	"runtime"
	"slices"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/sys/unix"
)

// sandboxed says that this system can confine a child by a system-call filter.
const sandboxed = true

// allowed lists the system calls that reading a document takes: memory, threads,
// time, and what is already open. Calls that a processor lacks are left out. Every
// other call fails with EPERM: a child cannot open, create or execute anything,
// make a socket, or look at another process.
var allowed = []string{
	"read", "write", "close", "lseek", "fstat", "fcntl",
	"munmap", "mremap", "madvise", "mincore", "brk", "membarrier",
	"futex", "set_robust_list", "set_tid_address", "rseq", "exit", "exit_group",
	"sched_yield", "sched_getaffinity", "getpid", "getppid", "gettid", "getrusage", "sysinfo", "uname",
	"rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigpending", "sigaltstack", "restart_syscall",
	"nanosleep", "clock_nanosleep", "clock_gettime", "clock_getres", "gettimeofday", "time",
	"epoll_wait", "epoll_pwait", "epoll_ctl", "poll", "ppoll",
	"getrandom",
}

// forbidCalls permanently stops every thread of this process from gaining
// privileges (prctl(2): PR_SET_NO_NEW_PRIVS) and from making system calls other
// than those above (seccomp(2)). SECCOMP_FILTER_FLAG_TSYNC applies both to all
// threads, including those that cgo started.
func forbidCalls() error {
	info, err := arch.GetInfo("")
	if err != nil {
		return fmt.Errorf("no filter of system calls for this processor: %w", err)
	}
	// no_new_privs belongs to one thread until TSYNC copies it to the others.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return seccomp.LoadFilter(seccomp.Filter{NoNewPrivs: true, Flag: seccomp.FilterFlagTSync, Policy: policy(info)})
}

func policy(info *arch.Info) seccomp.Policy {
	known := slices.DeleteFunc(slices.Clone(allowed), func(name string) bool {
		_, has := info.SyscallNames[name]
		return !has
	})
	// Code is mapped before the document is read.
	noCode := seccomp.ArgumentConditions{{Argument: 2, Operation: seccomp.BitsNotSet, Value: unix.PROT_EXEC}}
	return seccomp.Policy{
		DefaultAction: seccomp.ActionErrno,
		Syscalls: []seccomp.SyscallGroup{
			{
				Action: seccomp.ActionAllow, Names: known,
				NamesWithCondtions: []seccomp.NameWithConditions{
					{Name: "mmap", Conditions: noCode},
					{Name: "mprotect", Conditions: noCode},
					// A thread, not a process.
					{Name: "clone", Conditions: seccomp.ArgumentConditions{{
						Argument: 0, Operation: seccomp.BitsSet, Value: unix.CLONE_THREAD,
					}}},
					// A signal to itself, which the Go runtime uses to preempt and to crash.
					{Name: "tgkill", Conditions: seccomp.ArgumentConditions{{
						Argument: 0, Operation: seccomp.Equal, Value: uint64(os.Getpid()),
					}}},
				},
			},
			// Its flags are in memory, where no filter can see them. The C library
			// falls back to clone.
			{Action: seccomp.ActionErrno | seccomp.Action(unix.ENOSYS), Names: []string{"clone3"}},
		},
	}
}
