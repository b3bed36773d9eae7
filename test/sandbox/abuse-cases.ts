/** Which abuse cases concern a sandbox, and what shows that each is answered. */

/** Cases that are shown by probes alone. */
export const PROBED_CASES: Readonly<Record<string, readonly string[]>> = {
  1: ['write-outside', 'write-through-link', 'write-etc'],
  3: ['hard-link'],
  13: ['read-secret', 'climb-out', 'search-everywhere', 'read-shadow', 'shared-tmp'],
  18: ['engine-sockets', 'reach-socket', 'reach-abstract'],
  19: ['reach-loopback', 'reach-loopback-2', 'reach-loopback-6', 'reach-mapped', 'reach-metadata'],
  21: ['resolve-name', 'have-route', 'see-interfaces'],
  35: ['attach-other', 'read-other-memory', 'signal-other', 'see-others', 'read-environment'],
  36: [
    'write-sysctl',
    'new-user-namespace',
    'clone-user-namespace',
    'mount-tmpfs',
    'call-bpf',
    'call-keyctl',
    'call-io-uring',
    'call-perf',
    'call-kexec',
    'call-set-namespace',
  ],
};

type AbuseCase = {
  readonly number: string;
  readonly about: string;
  readonly shown:
    | { readonly kind: 'tested'; readonly where: string }
    /** Only a part of it is a sandbox's business. */
    | { readonly kind: 'tested-in-part'; readonly where: string; readonly rest: string }
    | { readonly kind: 'elsewhere'; readonly room: string };
};

const HERE = 'test/sandbox/abuse.test.ts';
const tested = { kind: 'tested', where: HERE } as const;

export const ABUSE_CASES: readonly AbuseCase[] = [
  {
    number: '1',
    about: 'writing through a link',
    shown: {
      kind: 'tested-in-part',
      where: HERE,
      rest: 'that we do not follow links ourselves: workspace',
    },
  },
  { number: '3', about: 'hard link to a file outside', shown: tested },
  {
    number: '6',
    about: '.git moved or replaced',
    shown: { kind: 'tested-in-part', where: HERE, rest: 'that we ignore it: workspace' },
  },
  { number: '13', about: 'secrets in files', shown: tested },
  { number: '14', about: 'secrets in environments', shown: tested },
  { number: '15', about: 'secrets in arguments', shown: tested },
  { number: '18', about: 'sockets of engines, buses and key agents', shown: tested },
  {
    number: '19',
    about: 'direct addresses',
    shown: { kind: 'tested-in-part', where: HERE, rest: 'addresses given to the proxy: gateway' },
  },
  { number: '21', about: 'a tunnel through DNS', shown: tested },
  { number: '24', about: 'a gate with network', shown: tested },
  { number: '25', about: 'a fork bomb', shown: tested },
  { number: '26', about: 'a memory bomb in a grandchild', shown: tested },
  {
    number: '27',
    about: 'a spin on all processors',
    shown: { kind: 'tested-in-part', where: HERE, rest: 'the delay of our own loop: bench' },
  },
  {
    number: '28',
    about: 'a full disk',
    shown: {
      kind: 'tested-in-part',
      where: HERE,
      rest: 'inodes of a working folder are not limited, and new runs on a full disk are refused by the owner',
    },
  },
  { number: '29', about: 'a daemon', shown: tested },
  { number: '30', about: 'a deaf command', shown: tested },
  { number: '31', about: 'output that is held open', shown: tested },
  { number: '33', about: 'zombies', shown: tested },
  {
    number: '34',
    about: 'a killed owner',
    shown: {
      kind: 'tested-in-part',
      where: HERE,
      rest: 'that the run is marked and not begun twice: engine',
    },
  },
  { number: '35', about: 'ptrace of others', shown: tested },
  { number: '36', about: 'the surface of the kernel', shown: tested },
  { number: '37', about: 'typing for the user', shown: tested },
  {
    number: '38',
    about: 'tools from the folders of an agent',
    shown: { kind: 'tested-in-part', where: HERE, rest: 'the tools of git: workspace' },
  },
  ...(
    [
      ['2, 4, 5, 7–12a', 'git and files that we read ourselves', 'workspace'],
      ['16, 20, 22, 23', 'keys and the proxy', 'gateway'],
      ['17', 'redaction', 'redaction'],
      ['32, 39–41', 'pids used again, output of any kind', 'host'],
      ['42–49', 'data, patterns, packages and prompts', 'agents, config, roles'],
      ['50–54', 'the dashboard', 'server'],
      ['55–60', 'state', 'store, daemon'],
    ] as const
  ).map(([number, about, room]) => ({
    number,
    about,
    shown: { kind: 'elsewhere', room } as const,
  })),
];
