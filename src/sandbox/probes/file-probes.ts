import type { Probe } from './probe.ts';

export const FILE_PROBES: readonly Probe[] = [
  {
    id: 'write-outside',
    area: 'files',
    tries: 'write to a folder that it was not given',
    script: 'echo x >"$P_OUT/written"',
    expect: 'refused',
    unsandboxed: 'works',
    canary: true,
  },
  {
    id: 'write-through-link',
    area: 'files',
    tries: 'write there through a link in its own folder',
    script: 'ln -sfn "$P_OUT" link && echo x >link/written',
    expect: 'refused',
    unsandboxed: 'works',
  },
  {
    id: 'hard-link',
    area: 'files',
    tries: 'make a hard link to a file outside',
    script: 'ln "$P_OUT/open" hard-link',
    expect: 'refused',
    unsandboxed: 'works',
  },
  {
    id: 'delete-outside',
    area: 'files',
    tries: 'delete a file outside',
    script: 'rm "$P_OUT/open"',
    expect: 'refused',
    unsandboxed: 'works',
  },
  {
    id: 'climb-out',
    area: 'files',
    tries: 'read a file outside by climbing up from its own folder',
    script: 'cat "$P_WORK/../../../../../../../..$P_SECRET"',
    expect: 'refused',
    unsandboxed: 'works',
  },
  {
    id: 'write-read-only',
    area: 'files',
    tries: 'write to a folder that it was given to read',
    script: 'echo x >"$P_READ/written"',
    expect: 'refused',
    unsandboxed: 'works',
  },
  {
    id: 'move-mount',
    area: 'files',
    tries: 'move a read-only mount out of the way',
    script: 'mv "$P_READ" "$P_READ-moved" && mv "$P_READ-moved" "$P_READ"',
    expect: 'refused',
    unsandboxed: 'works',
  },
  {
    id: 'remount',
    area: 'files',
    tries: 'mount the read-only folder again, writable',
    script: 'mount -o remount,rw,bind "$P_READ"',
    expect: 'refused',
    unsandboxed: 'varies',
  },
  {
    id: 'write-usr',
    area: 'files',
    tries: 'add a program to the system',
    script: 'echo x >/usr/bin/supervisor-probe && rm /usr/bin/supervisor-probe',
    expect: 'refused',
    unsandboxed: 'varies',
  },
  {
    id: 'write-etc',
    area: 'files',
    tries: 'change the settings of the system',
    script: 'echo x >/etc/supervisor-probe && rm /etc/supervisor-probe',
    expect: 'refused',
    unsandboxed: 'varies',
  },
  {
    id: 'write-root',
    area: 'files',
    tries: 'make a folder at the root',
    script: 'mkdir /supervisor-probe && rmdir /supervisor-probe',
    expect: 'refused',
    unsandboxed: 'varies',
  },
  {
    id: 'shared-tmp',
    area: 'files',
    tries: 'see the temporary files of other processes',
    script: '[ -e "$P_TMP_FILE" ]',
    expect: 'refused',
    unsandboxed: 'works',
  },
  {
    id: 'device-node',
    area: 'files',
    tries: 'make a device',
    script: 'mknod device c 1 3',
    expect: 'refused',
    unsandboxed: 'varies',
  },
  {
    id: 'raw-disk',
    area: 'files',
    tries: 'read a disk past its files',
    script:
      'for disk in /dev/sd? /dev/vd? /dev/nvme?n? /dev/mem; do head -c 1 "$disk" >/dev/null 2>&1 && exit 0; done; exit 1',
    expect: 'refused',
    unsandboxed: 'varies',
  },
  {
    id: 'write-socket-folder',
    area: 'files',
    tries: 'write into the folder of our own files',
    script: 'echo x >/run/supervisor/planted',
    expect: 'refused',
    unsandboxed: 'varies',
  },
];

function works(id: string, tries: string, script: string): Probe {
  return { id, area: 'works', tries, script, expect: 'works', unsandboxed: 'works' };
}

/** A sandbox that refuses everything would pass all other probes, so these have to work. */
export const WORKING_PROBES: readonly Probe[] = [
  works(
    'works-folder',
    'write, read, rename and link in its own folder',
    'echo 1 >a && mv a b && ln -s b c && [ "$(cat c)" = 1 ] && rm b c',
  ),
  works(
    'works-tmp',
    'run a program from /tmp',
    'printf "#!/bin/sh\\necho ran\\n" >/tmp/program && chmod +x /tmp/program && [ "$(/tmp/program)" = ran ]',
  ),
  works(
    'works-home',
    'store a file in HOME',
    'echo 1 >"$HOME/.kept" && [ "$(cat "$HOME/.kept")" = 1 ]',
  ),
  works('works-read', 'read what it was given to read', '[ "$(cat "$P_READ/given")" = given ]'),
  works(
    'works-devices',
    'use /dev/null, /dev/zero and /dev/urandom',
    'echo x >/dev/null && [ "$(head -c 8 /dev/zero | wc -c)" -eq 8 ] && [ "$(head -c 8 /dev/urandom | wc -c)" -eq 8 ]',
  ),
  works(
    'works-processes',
    'start processes, in a pipe and in the background',
    '(sleep 0 &) && [ "$(echo a | tr a b | cat)" = b ]',
  ),
  works('works-self', 'see itself in /proc', '[ -r /proc/self/status ] && [ -d /proc/self/fd ]'),
  works('works-perl', 'run an interpreter', '[ "$(perl -e \'print 6*7\')" = 42 ]'),
  works('works-env', 'have the environment of its policy', '[ "$P_GIVEN" = "a b\'c" ]'),
];
