/** What stands behind a dollar sign in a shell script, as far as it can be known without running it. */

/** Stands in a word for a part that only a run would tell. */
export const UNKNOWN = '\0';
/** Begins a word that is a path from the top of the tree. */
export const TOP = '\u0001';
/** A word that stands for all that a script is given. */
export const ALL_ARGS = '\u0002';

export type ShellCommand = {
  /** What is assigned for it, or by it where it has no words. */
  readonly sets: readonly (readonly [name: string, values: readonly string[]])[];
  readonly words: readonly string[];
};

export type ShellScript = {
  readonly commands: readonly ShellCommand[];
  readonly functions: readonly string[];
};

export type ShellGiven = {
  /** The folder of the script, from the top of the tree; for a line, the folder where it runs. */
  readonly folder: string;
  readonly args: readonly string[];
};

type Context = {
  readonly given: ShellGiven;
  readonly vars: ReadonlyMap<string, readonly string[]>;
  /** Reads a script within this one; undefined where they are too deep. */
  readonly read: (text: string) => ShellScript | undefined;
  /** Called with what a substitution starts. */
  readonly onScript: (script: ShellScript) => void;
};

type Values = { readonly values: readonly string[]; readonly length: number };

/** What the expansion at the beginning of a text comes to, and how long it is. */
export function valuesAt(text: string, context: Context): Values {
  if (text.startsWith('`')) {
    const end = text.indexOf('`', 1);
    const inner = text.slice(1, end < 0 ? undefined : end);
    return { values: substituted(inner, context), length: end < 0 ? text.length : end + 1 };
  }
  if (text.startsWith('$((')) return { values: [UNKNOWN], length: closing(text, 1) + 1 };
  if (text.startsWith('$(')) {
    const end = closing(text, 1);
    return { values: substituted(text.slice(2, end), context), length: end + 1 };
  }
  if (text.startsWith('${')) {
    const end = closing(text, 1);
    return { values: parameter(text.slice(2, end), context), length: end + 1 };
  }
  const [all, name] = /^\$([A-Za-z_]\w*|[\d@*#?$!-])/.exec(text) ?? ['$', undefined];
  return {
    values: name === undefined ? ['$'] : resolveVariable(name, context),
    length: all.length,
  };
}

function resolveVariable(
  name: string,
  { given: { args, folder }, vars }: Context,
): readonly string[] {
  if (name === '@' || name === '*') return [ALL_ARGS];
  if (/^[1-9]$/.test(name)) return [args[Number(name) - 1] ?? ''];
  if (name === '0' || name.startsWith('BASH_SOURCE')) return [`${TOP}/${folder}/script`];
  if (name === 'PWD') return ['.'];
  return vars.get(name) ?? [UNKNOWN];
}

function parameter(inner: string, context: Context): readonly string[] {
  const [, name = '', operator = '', rest = ''] =
    /^([A-Za-z_]\w*(?:\[[^\]]*\])?|[\d@*#?$!-])(:?[-+=?]|%%?|##?|\/\/?|:)?(.*)$/s.exec(inner) ?? [];
  const values = resolveVariable(name.replace(/\[.*$/, ''), context);
  if (operator === '') return rest === '' ? values : [UNKNOWN];
  if (/^:?[-=]$/.test(operator) && values.includes(UNKNOWN)) {
    const read = context.read(`: "${rest}"`);
    return read?.commands.map(({ words }) => words[1] ?? '') ?? [UNKNOWN];
  }
  if (operator.startsWith('%') && rest === '/*')
    return values.map((one) => one.replace(/\/[^/]*$/, ''));
  return /^:?[-=?]$/.test(operator) ? values : [UNKNOWN];
}

function substituted(inner: string, { read, onScript }: Context): readonly string[] {
  const script = read(inner);
  if (script === undefined) return [UNKNOWN];
  const [first, ...others] = script.commands;
  const [program = '', ...args] = first?.words ?? [];
  const plain = args.filter((arg) => !arg.startsWith('-'));
  const isOnly = others.length === 0;
  if (program === 'dirname' && isOnly)
    return plain.map((one) => (one.includes('/') ? one.replace(/\/[^/]*$/, '') : '.'));
  if (program === 'pwd' && isOnly) return ['.'];
  if (program === 'cd' && others.every(({ words }) => words[0] === 'pwd')) return [plain[0] ?? '.'];
  if ((program === 'realpath' || program === 'readlink') && isOnly) return [plain[0] ?? UNKNOWN];
  if (program === 'git' && args.includes('--show-toplevel')) return [TOP];
  if (program === 'echo' && isOnly && args.length === 1) return args;
  onScript(script);
  return [UNKNOWN];
}

/** Where the bracket that is open at `from` is closed; the end of the text if it is not. */
function closing(text: string, from: number): number {
  const [open, close] = text.charAt(from) === '{' ? ['{', '}'] : ['(', ')'];
  let [depth, quote] = [0, ''];
  for (let at = from; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '\\') at += 1;
    else if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === "'") quote = char;
    else if (char === open) depth += 1;
    else if (char === close) {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return text.length;
}
