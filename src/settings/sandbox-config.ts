/** What a person may write of the sandbox. */
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

/** A file of the user, by its path; or a file of the project, by its text as it was when the settings were read. */
export type PreflightScript = string | { readonly name: string; readonly text: string };

export const mountEntry = (userDir: string) =>
  z
    .strictObject(
      {
        path: machinePath(userDir).describe(
          'What is shown: a folder or file of this machine; required.',
        ),
        to: matching(/^\/[^\0]{1,4000}$/, 'a path that begins with /')
          .optional()
          .describe('Where it is shown. Default: at its own path.'),
        mode: z
          .enum(['ro', 'rw'], { error: 'ro or rw' })
          .prefault('ro')
          .describe('Whether it may be changed: rw, or only read: ro. Default: ro.'),
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
            'Folders of yours with programs, such as ~/.cargo/bin: seen at their own path, never changed, and in PATH. Default: none.',
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
            'Ignored files of the project that agents and gates get a copy of. Default: none.',
          ),
        git_identity: matching(
          /^[^<>\r\n\0]{1,100} <[^<>\s\0]{1,200}>$/,
          'a name and an address: Ann <ann@example.org>',
        )
          .optional()
          .describe('The name under which agents commit in their own tree. Default: Supervisor.'),
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

/** By its name alone: an address would be one in any network. */
export const Hosts = z
  .array(
    matching(
      /^(?=.{1,259}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*(?!\d+(:|$)|0x[0-9a-f]*(:|$))[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(:[1-9][0-9]{0,4})?$/,
      'the name of a host in small letters, with or without :port',
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
            'What holds the agents. auto is the strongest that works here; none also takes --unsafe-no-sandbox. Default: auto.',
          ),
        image: matching(/^\w[\w./:@-]{0,255}$/, 'the name of an image, such as debian:12')
          .optional()
          .describe(
            'The image for docker and podman; it needs sh, and socat or node. Default: none.',
          ),
        pull: z
          .enum(['never', 'missing', 'always'], { error: 'one of never, missing, always' })
          .prefault('missing')
          .describe('When the image is fetched from its registry. Default: missing.'),
        memory: size('64MB', '999GB')
          .prefault('4GB')
          .describe('How much memory an agent and all that it starts may use. Default: 4GB.'),
        cpus: amount(0.1, 1000)
          .prefault(2)
          .describe('How many processors it may keep busy. Default: 2.'),
        pids: whole(16, 100_000)
          .prefault(512)
          .describe('How many processes and threads it may have at once. Default: 512.'),
        disk: size('10MB', '999GB')
          .prefault('10GB')
          .describe('How much its folders may hold, looked at every few seconds. Default: 10GB.'),
        tmp: size('1MB', '99GB')
          .prefault('500MB')
          .describe('How much fits into its /tmp, which lives in memory. Default: 500MB.'),
        mounts: z
          .array(mountEntry(userDir), { error: 'a list of mounts' })
          .max(50, { error: 'a list of up to 50 mounts' })
          .prefault([])
          .describe('Further folders and files that agents see. Default: none.'),
        preflight: z
          .array(projectPath(userDir), {
            error: 'a list of paths',
          })
          .max(10, { error: 'a list of up to 10 paths' })
          .prefault([])
          .describe(
            'Shell scripts that run inside before each agent, in order; ./ is the project. The first that fails ends the attempt. Default: none.',
          ),
        network: Hosts.prefault([]).describe(
          'Hosts that agents reach besides their models, through tunnels of ours; the port is 443 where none is named. Default: none.',
        ),
        grants: grants(userDir)
          .prefault({})
          .describe(
            'What of yours is given besides the project. Each is in the record of every attempt.',
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
