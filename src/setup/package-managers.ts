/** Asks the package managers of this machine where they look. They run outside, as the user would run them, and in no project. */
import type { Clock } from '../base/clock.ts';
import { runCommand } from '../host/process/run-command.ts';
import { which } from '../host/process/which.ts';
import type { RegistryAnswer } from './registries.ts';

const DEADLINE_MS = 30_000;
const OUTPUT_BYTES_MAX = 1_000_000;
/** Of our environment, what they take their own settings from; no key of a model is among it. */
const SETTINGS =
  /^(?:npm_config_|pip_|ssl_cert_|node_extra_ca_certs$|requests_ca_bundle$|go(?:proxy|sumdb|flags|env|toolchain)$)/i;
/** Pip has no command that says where it looks by default. */
const PIP_DEFAULT =
  'from pip._internal.models.index import PyPI; print(PyPI.simple_url, PyPI.file_storage_domain)';

export type ManagerPorts = {
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string>>;
  readonly ownerEnv: Readonly<Record<string, string | undefined>>;
  readonly tag: string;
};

export async function askPackageManagers({
  clock,
  env,
  ownerEnv,
  tag,
}: ManagerPorts): Promise<RegistryAnswer> {
  const own = Object.entries(ownerEnv).flatMap(([name, value]) =>
    SETTINGS.test(name) && value !== undefined ? [[name, value] as const] : [],
  );
  const ask = async (
    what: string,
    name: string,
    ...args: readonly string[]
  ): Promise<string | undefined> => {
    const program = which(name, env);
    if (program === undefined) return undefined;
    const answer = await runCommand(
      { argv: [program, ...args], cwd: '/', env: { ...env, ...Object.fromEntries(own) } },
      // Each has its own tag, because at its end every process with that tag is killed.
      {
        clock,
        tag: `${tag}/ask-${what}`,
        deadlineMs: DEADLINE_MS,
        outputBytesMax: OUTPUT_BYTES_MAX,
      },
    );
    return answer.kind === 'ended' && answer.code === 0
      ? answer.stdout.toString('utf8')
      : undefined;
  };
  const [npm, pip, pipDefault, go] = await Promise.all([
    ask('npm', 'npm', 'config', 'list', '--json'),
    ask('pip', 'python3', '-m', 'pip', 'config', 'list'),
    ask('index', 'python3', '-c', PIP_DEFAULT),
    ask('go', 'go', 'env', 'GOPROXY', 'GOSUMDB'),
  ]);
  return {
    ...(npm === undefined ? {} : { npm }),
    ...(pip === undefined ? {} : { pip }),
    ...(pipDefault === undefined ? {} : { pipDefault }),
    ...(go === undefined ? {} : { go }),
  };
}
