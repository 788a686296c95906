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

// sandboxed says that this system confines a child by system calls.
const sandboxed = true

// allowed are the system calls that reading a document takes: memory, threads,
// time, and what is open already. Those that a processor does not have are left
// out. Every other call fails with EPERM: a child opens, creates and executes
// nothing, makes no socket, and looks at no other process.
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

// forbidCalls lets every thread of this process, for good, gain no privileges
// (prctl(2): PR_SET_NO_NEW_PRIVS) and make no system calls but those above
// (seccomp(2)). SECCOMP_FILTER_FLAG_TSYNC sets both on all threads, whoever
// made them, cgo included.
func forbidCalls() error {
	info, err := arch.GetInfo("")
	if err != nil {
		return fmt.Errorf("no filter of system calls for this processor: %w", err)
	}
	// no_new_privs is a thread's own until the others take it over.
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
					// A thread, and no process.
					{Name: "clone", Conditions: seccomp.ArgumentConditions{{
						Argument: 0, Operation: seccomp.BitsSet, Value: unix.CLONE_THREAD,
					}}},
					// A signal to itself, with which the Go runtime preempts and crashes.
					{Name: "tgkill", Conditions: seccomp.ArgumentConditions{{
						Argument: 0, Operation: seccomp.Equal, Value: uint64(os.Getpid()),
					}}},
				},
			},
			// Its flags are in memory, where no filter sees them. The C library
			// takes clone instead.
			{Action: seccomp.ActionErrno | seccomp.Action(unix.ENOSYS), Names: []string{"clone3"}},
		},
	}
}
