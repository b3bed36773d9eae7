/** The secrets of an agent. The journal has their names only; their values exist only while an attempt runs. */
import { Refusal } from '../../base/errors.ts';
import { Redactor } from '../../redaction/redactor.ts';
import { agentAccount } from '../../attempts/choice/identity.ts';
import { isSecretVariable } from '../../redaction/secret-names.ts';
import type { AgentSpec } from '../../protocol/pinned-settings.ts';

type Env = Readonly<Record<string, string>>;

/** The agent as the journal may store it: of each value that looks like a secret, only the name. */
export function withoutSecrets<Spec extends Pick<AgentSpec, 'env'>>(
  agent: Spec,
): Spec & Pick<AgentSpec, 'secrets' | 'account'> {
  const names = secretNames(agent.env);
  if (names.length === 0) return agent;
  const plain = Object.entries(agent.env).filter(([name]) => !names.includes(name));
  const account = agentAccount(agent.env);
  return { ...agent, env: Object.fromEntries(plain), secrets: names, account };
}

/** The values of these names in the current configuration, else in what the run was given. */
export function findSecrets(
  { id, secrets = [] }: Pick<AgentSpec, 'id' | 'secrets'>,
  configured: Env | undefined,
  given: Readonly<Record<string, string | undefined>>,
): Env {
  const found = secrets.map((name) => [name, configured?.[name] ?? given[name]] as const);
  const gone = found.flatMap(([name, value]) => (value === undefined ? [name] : []));
  if (gone.length > 0) throw missing(id, gone);
  return Object.fromEntries(found.map(([name, value]) => [name, value ?? '']));
}

/** The values that must not be stored when this agent prints them. */
export function secretValues({ env, secrets = [] }: Pick<AgentSpec, 'env' | 'secrets'>): string[] {
  return [...new Set([...secrets, ...secretNames(env)])].flatMap((name) => env[name] ?? []);
}

/** The redactor for everything that is stored of an attempt. Refuses if there are too many secrets to search for. */
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
    code: 'agent.keys-missing',
    message: `${agent} needs ${names.join(', ')}, which has no value any more.`,
    hint: 'A run does not store secrets. Set the variable under env of the agent, or in your shell.',
  });
}
