/** The secrets of an agent: by name in the record, by value only while an attempt runs. */
import { Refusal } from '../../base/errors.ts';
import { Redactor } from '../../redaction/redactor.ts';
import { agentAccount } from '../../attempts/identity.ts';
import { isSecretVariable } from '../../redaction/secret-names.ts';
import type { AgentSpec } from '../../protocol/pinned-settings.ts';

type Env = Readonly<Record<string, string>>;

/** The agent as it may be written down: what looks like a secret is there by its name alone. */
export function withoutSecrets<Spec extends Pick<AgentSpec, 'env'>>(
  agent: Spec,
): Spec & Pick<AgentSpec, 'secrets' | 'account'> {
  const names = secretNames(agent.env);
  if (names.length === 0) return agent;
  const plain = Object.entries(agent.env).filter(([name]) => !names.includes(name));
  const account = agentAccount(agent.env);
  return { ...agent, env: Object.fromEntries(plain), secrets: names, account };
}

/** The values of those names in the configuration as it is now, else in the owner's environment. */
export function findSecrets(
  { id, secrets = [] }: Pick<AgentSpec, 'id' | 'secrets'>,
  configured: Env | undefined,
  ownerEnv: Readonly<Record<string, string | undefined>>,
): Env {
  const found = secrets.map((name) => [name, configured?.[name] ?? ownerEnv[name]] as const);
  const gone = found.flatMap(([name, value]) => (value === undefined ? [name] : []));
  if (gone.length > 0) throw missing(id, gone);
  return Object.fromEntries(found.map(([name, value]) => [name, value ?? '']));
}

/** What must not be kept of what this agent says. */
export function secretValues({ env, secrets = [] }: Pick<AgentSpec, 'env' | 'secrets'>): string[] {
  return [...new Set([...secrets, ...secretNames(env)])].flatMap((name) => env[name] ?? []);
}

/** For everything that is kept of an attempt. Refuses more secrets than can be looked for. */
export function agentRedactor(values: readonly string[]): Redactor {
  try {
    return new Redactor(values);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new Refusal(
      {
        code: 'agent.secrets-unusable',
        message: 'The secrets of this agent are too long to be looked for in what it prints.',
        hint: 'Give it a path to a file that it may read, or fewer and shorter values under env.',
      },
      { cause: error },
    );
  }
}

function secretNames(env: Env): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    isSecretVariable(name, value) ? [name] : [],
  );
}

function missing(agent: string, names: readonly string[]): Refusal {
  return new Refusal({
    code: 'agent.secrets-unusable',
    message: `The agent ${agent} needs ${names.join(', ')}, which has no value any more.`,
    hint: 'A run does not store secrets. Set the variable under env of the agent, or in the environment of the owner, and resume the run.',
  });
}
