/** Schema of `sandbox`: what agents see, use and reach. */
import { z } from 'zod';
import { hostAndPort } from './host-and-port.ts';
import { amount, KEYS, machinePath, matching, projectPath, size, whole } from './schema-fields.ts';

export const SANDBOX_BACKENDS = [
  'auto',
  'bubblewrap',
  'docker',
  'podman',
  'seatbelt',
  'none',
] as const;

/** A file of the user, by path; or a file of the project, by its text when the settings were read. */
export type PreflightScript = string | { readonly name: string; readonly text: string };

export const mountEntry = (userDir: string) =>
  z
    .strictObject(
      {
        path: machinePath(userDir).describe('A folder or file of this machine; required.'),
        to: matching(/^\/[^\0]{1,4000}$/, 'a path that starts with /')
          .optional()
          .describe('The path in the sandbox. Default: the same path.'),
        mode: z
          .enum(['ro', 'rw'], { error: 'ro or rw' })
          .prefault('ro')
          .describe('ro: read-only. rw: agents can change it. Default: ro.'),
      },
      KEYS,
    )
    .transform(({ path, to, mode }) => ({ from: path, to: to ?? path, mode }));

const grants = (userDir: string) =>
  z
    .strictObject(
      {
        toolchains: z
          .array(machinePath(userDir), { error: 'a list of paths' })
          .max(20, { error: 'a list of up to 20 paths' })
          .prefault([])
          .describe(
            'Your folders with programs, such as ~/.cargo/bin. Agents see them read-only, at the same path and in PATH. Default: none.',
          ),
        files: z
          .array(
            matching(
              /^(?!\/)(?!.*(^|\/)\.\.?(\/|$))[^\0]{1,1000}$/,
              'a path inside the project, without . and ..',
            ),
            { error: 'a list of paths inside the project' },
          )
          .max(20, { error: 'a list of up to 20 paths inside the project' })
          .prefault([])
          .describe(
            'Git-ignored files of the project. Agents and gates get a copy. Default: none.',
          ),
        git_identity: matching(
          /^[^<>\r\n\0]{1,100} <[^<>\s\0]{1,200}>$/,
          'a name and an address: Ann <ann@example.org>',
        )
          .optional()
          .describe(
            'The author of commits that agents make in their workspace. Default: Supervisor.',
          ),
      },
      KEYS,
    )
    .transform(({ git_identity: identity, ...grants }) => ({
      ...grants,
      gitIdentity: identity === undefined ? null : parseIdentity(identity),
    }));

/** `Ann <ann@example.org>` */
function parseIdentity(written: string): { name: string; email: string } {
  const [name = '', email = ''] = written.slice(0, -1).split('<');
  return { name: name.trim(), email };
}

/** Names only: the same address can exist in any network. */
export const Hosts = z
  .array(
    matching(
      /^(?=.{1,259}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*(?!\d+(:|$)|0x[0-9a-f]*(:|$))[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(:[1-9][0-9]{0,4})?$/,
      'the name of a host in lowercase letters, with or without :port',
    ).transform(hostAndPort),
    { error: 'a list of hosts' },
  )
  .max(100, { error: 'a list of up to 100 hosts' });

/** `~` stands for `userDir`. */
export const sandboxSection = (userDir: string) =>
  z
    .strictObject(
      {
        backend: z
          .enum(SANDBOX_BACKENDS, { error: `one of ${SANDBOX_BACKENDS.join(', ')}` })
          .prefault('auto')
          .describe(
            'The sandbox backend. auto selects the strongest one that works on this machine; none also needs --unsafe-no-sandbox. Default: auto.',
          ),
        image: matching(/^\w[\w./:@-]{0,255}$/, 'the name of an image, such as debian:12')
          .optional()
          .describe(
            'The image for docker and podman; it needs sh, and socat or node. Default: none.',
          ),
        pull: z
          .enum(['never', 'missing', 'always'], { error: 'one of never, missing, always' })
          .prefault('missing')
          .describe('When to pull the image from its registry. Default: missing.'),
        memory: size('64MB', '999GB')
          .prefault('4GB')
          .describe('Memory of an agent and all its processes. Default: 4GB.'),
        cpus: amount(0.1, 1000).prefault(2).describe('CPUs that an agent can use. Default: 2.'),
        pids: whole(16, 100_000)
          .prefault(512)
          .describe('Processes and threads of an agent at once. Default: 512.'),
        disk: size('10MB', '999GB')
          .prefault('10GB')
          .describe('Disk space of its folders, checked every few seconds. Default: 10GB.'),
        tmp: size('1MB', '99GB')
          .prefault('500MB')
          .describe('Size of its /tmp, which is in memory. Default: 500MB.'),
        mounts: z
          .array(mountEntry(userDir), { error: 'a list of mounts' })
          .max(50, { error: 'a list of up to 50 mounts' })
          .prefault([])
          .describe('More folders and files that agents see. Default: none.'),
        preflight: z
          .array(projectPath(userDir), {
            error: 'a list of paths',
          })
          .max(10, { error: 'a list of up to 10 paths' })
          .prefault([])
          .describe(
            'Shell scripts that run in the sandbox before each agent, in order. ./ is the project. If a script fails, the attempt fails. Default: none.',
          ),
        network: Hosts.prefault([]).describe(
          'Hosts that agents can reach in addition to their models. The default port is 443. Default: none.',
        ),
        grants: grants(userDir)
          .prefault({})
          .describe(
            'Your own files and programs that agents get in addition to the project. Each attempt records them.',
          ),
      },
      KEYS,
    )
    .transform(({ image, memory, disk, tmp, preflight, network, ...sandbox }) => ({
      ...sandbox,
      image: image ?? null,
      memoryBytes: memory,
      diskBytes: disk,
      tmpBytes: tmp,
      preflight: preflight as PreflightScript[],
      hosts: network,
    }));
