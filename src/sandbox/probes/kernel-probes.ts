import type { Probe } from './probe.ts';
import { perl, systemCall } from './probe.ts';

const OLD_DOCKER = 'the default filter of older engines allows it';
const PODMAN = "podman's default filter allows it, without any capability";

export const PROCESS_PROBES: readonly Probe[] = [
  {
    id: 'be-root',
    area: 'processes',
    tries: 'be root',
    script: '[ "$(id -u)" = 0 ]',
    expect: 'refused',
    unsandboxed: 'varies',
    canary: true,
  },
  {
    id: 'have-capabilities',
    area: 'processes',
    tries: 'have, or be able to get, a capability',
    script: 'grep -E "^Cap(Prm|Eff|Bnd|Amb):" /proc/self/status | grep -Eqv "[[:space:]]0+$"',
    expect: 'refused',
    unsandboxed: 'works',
  },
  {
    id: 'gain-privileges',
    area: 'processes',
    tries: 'gain privileges by starting a program that has them',
    script: '! grep -q "^NoNewPrivs:.*1" /proc/self/status',
    expect: 'refused',
    unsandboxed: 'works',
  },
  {
    id: 'see-others',
    area: 'processes',
    tries: 'see a process outside',
    script: '[ -d "/proc/$P_VICTIM" ]',
    expect: 'refused',
    unsandboxed: 'works',
  },
  {
    id: 'signal-other',
    area: 'processes',
    tries: 'signal a process outside',
    script: 'kill -0 "$P_VICTIM"',
    expect: 'refused',
    unsandboxed: 'works',
  },
  {
    id: 'attach-other',
    area: 'processes',
    tries: 'attach to a process outside with ptrace',
    script: perl(
      'my $r = syscall(101, 16, $ENV{P_VICTIM}+0, 0, 0); syscall(101, 17, $ENV{P_VICTIM}+0, 0, 0); exit($r == 0 ? 0 : 1)',
    ),
    expect: 'refused',
    unsandboxed: 'varies',
    arch: 'x64',
  },
  {
    id: 'read-other-memory',
    area: 'processes',
    tries: 'read the memory of a process outside',
    script: 'head -c 1 "/proc/$P_VICTIM/mem" >/dev/null || cat "/proc/$P_VICTIM/maps" | grep -q .',
    expect: 'refused',
    unsandboxed: 'works',
  },
  {
    id: 'kill-everybody',
    area: 'processes',
    tries: 'kill every process that it can',
    script: 'trap "" TERM; kill -TERM -1; kill -0 "$P_VICTIM"',
    expect: 'refused',
    unsandboxed: 'unsafe',
    alone: true,
  },
  {
    id: 'type-for-user',
    area: 'processes',
    tries: 'type into a terminal as if it were the user',
    script: perl('open(my $t, "+<", "/dev/tty") or exit 1; exit(ioctl($t, 0x5412, "x") ? 0 : 1)'),
    expect: 'refused',
    unsandboxed: 'varies',
  },
];

export const KERNEL_PROBES: readonly Probe[] = [
  {
    id: 'write-sysctl',
    area: 'kernel',
    tries: 'write a kernel parameter (with its current value)',
    script:
      'value=$(cat /proc/sys/kernel/core_pattern) && printf %s "$value" >/proc/sys/kernel/core_pattern',
    expect: 'refused',
    unsandboxed: 'varies',
    canary: true,
  },
  {
    id: 'write-sysrq',
    area: 'kernel',
    tries: 'trigger the SysRq key of the kernel',
    script: 'echo h >/proc/sysrq-trigger',
    expect: 'refused',
    unsandboxed: 'varies',
  },
  {
    id: 'write-cgroup',
    area: 'kernel',
    tries: 'lift its own limits',
    script:
      'for procs in $(find /sys/fs/cgroup -name cgroup.procs 2>/dev/null | head -n 20); do echo $$ >"$procs" && exit 0; done; exit 1',
    expect: 'refused',
    unsandboxed: 'varies',
  },
  {
    id: 'new-user-namespace',
    area: 'kernel',
    tries: 'create a user namespace, the entry to most kernel exploits',
    script: 'unshare --user true',
    expect: 'refused',
    except: { podman: PODMAN },
    unsandboxed: 'varies',
  },
  {
    id: 'clone-user-namespace',
    area: 'kernel',
    tries: 'create a user namespace with clone',
    script: perl('my $r = syscall(56, 0x10000000 | 17, 0, 0, 0, 0); exit($r >= 0 ? 0 : 1)'),
    expect: 'refused',
    except: { podman: PODMAN },
    unsandboxed: 'varies',
    arch: 'x64',
  },
  {
    id: 'mount-tmpfs',
    area: 'kernel',
    tries: 'mount a file system',
    script: 'mkdir -p mounted && mount -t tmpfs none mounted',
    expect: 'refused',
    unsandboxed: 'varies',
  },
  {
    id: 'chroot',
    area: 'kernel',
    tries: 'change its root',
    script: perl('exit(chroot("/tmp") ? 0 : 1)'),
    expect: 'refused',
    unsandboxed: 'varies',
  },
  call('bpf', 'load a program into the kernel', systemCall(321, 0, 0, 0)),
  {
    ...call('keyctl', 'use the kernel keyring', systemCall(250, 0, -3, 0), 'works'),
    except: { podman: PODMAN },
  },
  call('perf', 'use kernel performance events', systemCall(298, 0, 0, 0, 0, 0), 'works'),
  call('kexec', 'start another kernel', systemCall(246, 0, 0, 0, 0)),
  call('open-by-handle', 'open a file by its number', systemCall(304, -1, 0, 0)),
  {
    ...call('set-namespace', 'enter a namespace', systemCall(308, -1, 0), 'works'),
    except: { podman: PODMAN },
  },
  {
    ...call('io-uring', 'make system calls past the filter', systemCall(425, 1, 0), 'works'),
    except: { docker: OLD_DOCKER, podman: OLD_DOCKER },
  },
  {
    ...call('trace-self', 'be traced', systemCall(101, 0, 0, 0, 0), 'works'),
    except: { docker: OLD_DOCKER, podman: OLD_DOCKER },
  },
  {
    id: 'set-clock',
    area: 'kernel',
    tries: 'set the clock',
    script: 'date -s "$(date)"',
    expect: 'refused',
    unsandboxed: 'varies',
  },
];

export const LIMIT_PROBES: readonly Probe[] = [
  {
    id: 'fill-tmp',
    area: 'limits',
    tries: 'write more into /tmp than its limit',
    script:
      'head -c "$((P_TMP_BYTES + 1000000))" /dev/zero >"/tmp/fill-$$"; code=$?; rm -f "/tmp/fill-$$"; exit $code',
    expect: 'refused',
    unsandboxed: 'works',
  },
  {
    id: 'many-processes',
    area: 'limits',
    tries: 'start more processes than its limit',
    script: 'i=0; while [ "$i" -lt "$((P_PIDS + 20))" ]; do sleep 2 & i=$((i + 1)); done; wait',
    expect: 'refused',
    unsandboxed: 'works',
    alone: true,
  },
  {
    id: 'much-memory',
    area: 'limits',
    tries: 'use more memory than its limit',
    script: perl('my $x = "a" x ($ENV{P_MEMORY_BYTES} * 1.5); exit(length($x) > 0 ? 0 : 1)'),
    expect: 'refused',
    unsandboxed: 'works',
    alone: true,
  },
];

function call(
  name: string,
  tries: string,
  script: string,
  unsandboxed: Probe['unsandboxed'] = 'varies',
): Probe {
  return {
    id: `call-${name}`,
    area: 'kernel',
    tries,
    script,
    expect: 'refused',
    unsandboxed,
    arch: 'x64',
  };
}
