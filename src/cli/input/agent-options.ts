/** The options of `spawn` that stand for whole sections of the configuration: sandbox, restart and rules. */
import { Refusal } from '../../base/errors.ts';
import { shellWords } from '../../base/shell-words.ts';

type Section = Readonly<Record<string, unknown>>;
type Read = (value: string) => unknown;

const asText: Read = (value) => value;
const asList: Read = (value) => value.split(',').map((part) => part.trim());
/** A text that is no number stays a text: the owner refuses it and names what it expects. */
const asNumber: Read = (value) =>
  value.trim() === '' || Number.isNaN(Number(value)) ? value : Number(value);
const asWords: Read = (value) => shellWords(value) ?? value;

const SANDBOX: Readonly<Record<string, Read>> = {
  network: asList,
  memory: asText,
  cpus: asNumber,
  pids: asNumber,
  mount: asMount,
};
const RESTART: Readonly<Record<string, Read>> = {
  type: asText,
  restarts: asNumber,
  within: asText,
  backoff_base: asText,
  backoff_max: asText,
};
const CONDITIONS: Readonly<Record<string, Read>> = {
  outside: asList,
  self_modification: asList,
  over_budget: asNumber,
  children_max: asNumber,
  unknown_host: asList,
  command: asWords,
};

/** `network=a.example,b.example`, `memory=2GB`, `cpus=2`, `pids=200`, `mount=/data:rw`. Undefined: none is given. */
export function sandboxOption(given: readonly string[]): Section | undefined {
  const pairs = given.map((text) => readPair('--sandbox', text, SANDBOX));
  const mounts = pairs.flatMap(([key, value]) => (key === 'mount' ? [value] : []));
  const others = pairs.filter(([key]) => key !== 'mount');
  if (pairs.length === 0) return undefined;
  return { ...Object.fromEntries(others), ...(mounts.length === 0 ? {} : { mounts }) };
}

/** `type=transient`, `restarts=3`, `within=1h`, `backoff_base=10s`, `backoff_max=5m`. A word alone is the type. */
export function restartOption(given: readonly string[]): Section | undefined {
  if (given.length === 0) return undefined;
  return Object.fromEntries(
    given.map((text) =>
      text.includes('=') ? readPair('--restart', text, RESTART) : (['type', text] as const),
    ),
  );
}

/** `ACTION:CONDITION=VALUE`, such as `reap:command=git push`. Without an action, you are notified. */
export function ruleOptions(given: readonly string[]): Section[] | undefined {
  if (given.length === 0) return undefined;
  return given.map((text, index) => {
    const [, action, rule = text] = /^([a-z]+):(.*)$/s.exec(text) ?? [];
    const [key, value] = readPair('--rule', rule, CONDITIONS);
    const name = `${key.replaceAll('_', '-')}-${index + 1}`;
    return { name, ...(action === undefined ? {} : { action }), [key]: value };
  });
}

function readPair(
  option: string,
  text: string,
  keys: Readonly<Record<string, Read>>,
): readonly [key: string, value: unknown] {
  const cut = text.indexOf('=');
  const key = text.slice(0, Math.max(cut, 0)).trim();
  const read = Object.hasOwn(keys, key) ? keys[key] : undefined;
  if (read !== undefined) return [key, read(text.slice(cut + 1).trim())];
  const names = Object.keys(keys).join(', ');
  throw new Refusal({
    code: 'usage.invalid',
    message: `${option} ${JSON.stringify(text)} does not begin with one of ${names}, and =.`,
    hint: 'See the examples with: supervisor spawn --help',
  });
}

function asMount(value: string): Section {
  const [, path = value, mode = 'ro'] = /^(.*):(ro|rw)$/.exec(value) ?? [];
  return { path, mode };
}
