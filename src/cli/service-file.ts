/**
 * The file with which the service manager of the machine keeps an owner running: a unit of systemd, or a job of
 * launchd. Pure: it renders values.
 */
import { Refusal } from '../base/errors.ts';

export const SERVICE_MANAGERS = ['systemd', 'launchd'] as const;
export type ServiceManager = (typeof SERVICE_MANAGERS)[number];

export type OwnerService = {
  /** The program with its arguments. The program has an absolute path. */
  readonly command: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string>>;
  /** The folder of the state. */
  readonly home: string;
};

export type ServiceFile = {
  readonly manager: ServiceManager;
  /** Where the file belongs, with `~` for the user's home folder. */
  readonly path: string;
  readonly text: string;
  /** What to type, in this order, to save the file and start the owner. */
  readonly start: readonly string[];
  /** What to type to stop the owner for good. */
  readonly stop: string;
  /** How a run has its keys when the machine has restarted. */
  readonly keys: string;
};

const NAME = 'agent-supervisor';
const LABEL = `local.${NAME}`;
/** If another owner holds the home, the process ends at once, and tries again after this time. */
const RESTART_SECONDS = 10;
/** An owner first ends its agents. */
const STOP_SECONDS = 90;

/** The variables of the environment that an owner needs. Keys and tokens are not among them. */
const INHERITED = [
  ...['PATH', 'LANG', 'LC_ALL', 'TZ'],
  ...['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY', 'https_proxy', 'http_proxy', 'no_proxy'],
  ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'DOCKER_HOST', 'CONTAINER_HOST'],
];

export function serviceEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): Readonly<Record<string, string>> {
  const inherited = INHERITED.flatMap((name) => {
    const value = env[name] ?? '';
    // The address of a proxy may contain a password, and other users may read the file.
    return value === '' || /\/\/[^/]*@/.test(value) ? [] : [[name, value] as const];
  });
  return { SUPERVISOR_HOME: home, ...Object.fromEntries(inherited) };
}

/** Refuses a value with a control character: neither format can express all of them. */
export function renderService(manager: ServiceManager, service: OwnerService): ServiceFile {
  const { command, environment, home } = service;
  for (const value of [...command, ...Object.values(environment), home])
    if (/\p{Cc}/u.test(value)) throw unwritable(value);
  return manager === 'systemd' ? systemdUnit(service) : launchdJob(service);
}

function systemdUnit({ command, environment, home }: OwnerService): ServiceFile {
  const [program, ...args] = startable(command);
  const exec = [quote(specifier(program)), ...args.map((word) => quote(argument(word)))];
  const variables = Object.entries(environment).map(
    ([name, value]) => `Environment=${quote(specifier(`${name}=${value}`))}`,
  );
  const path = `~/.config/systemd/user/${NAME}.service`;
  return {
    manager: 'systemd',
    path,
    text: `[Unit]
Description=Supervisor: the owner that runs coding agents
StartLimitIntervalSec=0

[Service]
Type=exec
ExecStart=${exec.join(' ')}
${variables.join('\n')}
# Keys for the agents, one NAME=value per line. The file is optional, and only you should be able to read it.
EnvironmentFile=-${specifier(home)}/owner.env
Restart=always
RestartSec=${RESTART_SECONDS}
# The owner ends its agents in order. An agent that runs out of memory must not end the owner.
KillMode=mixed
TimeoutStopSec=${STOP_SECONDS}
OOMPolicy=continue

[Install]
WantedBy=default.target
`,
    start: [
      'mkdir -p ~/.config/systemd/user',
      `supervisor owner service systemd > ${path}`,
      'systemctl --user daemon-reload',
      `systemctl --user enable --now ${NAME}`,
      'loginctl enable-linger',
    ],
    stop: `systemctl --user disable --now ${NAME}`,
    keys: `A run whose key is in a variable waits after a restart of the machine, unless ${home}/owner.env has the key. Write one NAME=value per line, and let only you read the file: chmod 600.`,
  };
}

/** Systemd refuses a program with a quotation mark or a backslash in its path, however it is written. */
function startable(command: OwnerService['command']): OwnerService['command'] {
  return /["'\\]/.test(command[0]) ? ['/bin/sh', '-c', 'exec "$0" "$@"', ...command] : command;
}

/** `%` begins a specifier everywhere in a unit. */
function specifier(text: string): string {
  return text.replaceAll('%', '%%');
}

/** In the arguments of a command, `$` begins a variable too. The program itself is taken as it is. */
function argument(text: string): string {
  return specifier(text).replaceAll('$', '$$$$');
}

function quote(text: string): string {
  if (/^[\w@%+=:,./$-]+$/.test(text)) return text;
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', String.raw`\"`)}"`;
}

function launchdJob({ command, environment, home }: OwnerService): ServiceFile {
  const path = `~/Library/LaunchAgents/${LABEL}.plist`;
  const variables = Object.entries(environment).map(
    ([name, value]) => `    <key>${xml(name)}</key>\n    ${string(value)}`,
  );
  return {
    manager: 'launchd',
    path,
    text: `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  ${string(LABEL)}
  <key>ProgramArguments</key>
  <array>
${command.map((word) => `    ${string(word)}`).join('\n')}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${variables.join('\n')}
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <true/>
  <key>ThrottleInterval</key>
  <integer>${RESTART_SECONDS}</integer>
  <key>ExitTimeOut</key>
  <integer>${STOP_SECONDS}</integer>
  <key>StandardErrorPath</key>
  ${string(`${home}/owner.log`)}
</dict>
</plist>
`,
    start: [
      'mkdir -p ~/Library/LaunchAgents',
      `supervisor owner service launchd > ${path}`,
      `launchctl bootstrap gui/$(id -u) ${path}`,
    ],
    keys: 'A run whose key is in a variable waits after a restart of the machine, until you give it the key with: supervisor resume. With a login of its CLI it continues by itself.',
    stop: `launchctl bootout gui/$(id -u)/${LABEL}`,
  };
}

function string(text: string): string {
  return `<string>${xml(text)}</string>`;
}

function xml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function unwritable(value: string): Refusal {
  return new Refusal({
    code: 'usage.invalid',
    message: `${JSON.stringify(value)} has a control character, which the file can't contain.`,
    hint: 'Rename the folder, or remove the character from the variable, and try again.',
  });
}
