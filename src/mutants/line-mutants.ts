/** Mutants of single lines, for languages that are not parsed. Strings and comments are left alone. */
import { extname } from 'node:path/posix';
import type { TextSyntax } from './mask-text.ts';
import { maskText } from './mask-text.ts';
import type { Mutant, MutantOperator } from './mutant.ts';

const C_LIKE: TextSyntax = {
  lineComments: ['//'],
  blockComments: [['/*', '*/']],
  quotes: ['"', "'", '`'],
};
const WITH_HASH: TextSyntax = {
  lineComments: ['#'],
  blockComments: [],
  quotes: ['"""', "'''", '"', "'"],
};

type Language = {
  readonly syntax: TextSyntax;
  readonly rules: readonly Rule[];
};

type Rule = {
  readonly operator: MutantOperator;
  /** On a line without its strings and comments. Its group `part` is replaced. */
  readonly pattern: RegExp;
  readonly replace: (part: string) => string;
};

const COMPARISONS: Readonly<Record<string, string>> = {
  '==': '!=',
  '!=': '==',
  '===': '!==',
  '!==': '===',
  '<=': '>',
  '>=': '<',
  '<': '>=',
  '>': '<=',
};
const OPPOSITES: Readonly<Record<string, string>> = {
  '+': '-',
  '-': '+',
  '*': '+',
  '&&': '||',
  '||': '&&',
  and: 'or',
  or: 'and',
  True: 'False',
  False: 'True',
  true: 'false',
  false: 'true',
};

/** The spaces around an operator tell it from a generic type, an arrow or a sign. */
const COMMON: readonly Rule[] = [
  {
    operator: 'swap-comparison',
    pattern: / (?<part>===|!==|==|!=|<=|>=|<|>) /d,
    replace: (part) => COMPARISONS[part] ?? part,
  },
  {
    operator: 'swap-operator',
    pattern: /(?:(?<= )(?:[+*-]|&&|\|\|)(?= )|\b(?:and|or|True|False|true|false)\b)/d,
    replace: (part) => OPPOSITES[part] ?? part,
  },
  {
    operator: 'off-by-one',
    pattern: /(?<![\w.$])\d{1,9}(?![\w.])/d,
    replace: (part) => String(Number(part) + 1),
  },
];

const PYTHON: readonly Rule[] = [
  {
    operator: 'negate-condition',
    pattern: /^\s*(?:if|elif|while) (?<part>[^:]+):/d,
    replace: (part) => `not (${part})`,
  },
  {
    operator: 'replace-return',
    pattern: /^\s*return (?<part>(?!None\b)\S.*)$/d,
    replace: () => 'None',
  },
  {
    operator: 'delete-statement',
    pattern: /^\s*(?<part>[\w.]+(?:\(.*\)| [+*/|&-]?= ?\S.*))$/d,
    replace: () => 'pass',
  },
  ...COMMON,
];
const BRACED: readonly Rule[] = [
  {
    operator: 'negate-condition',
    pattern: /\b(?:if|while) ?\((?<part>[^(){};]+(?:\([^(){};]*\)[^(){};]*)*)\) ?\{?\s*$/d,
    replace: (part) => `!(${part})`,
  },
  {
    operator: 'delete-statement',
    pattern: /^\s*(?<part>(?!return\b|throw\b|delete\b|new\b)[\w.>:-]+\(.*\));$/d,
    replace: () => '',
  },
  ...COMMON,
];
/** Go and Rust: no brackets around a condition, and no statement that may be missing without a complaint. */
const BARE: readonly Rule[] = [
  {
    operator: 'negate-condition',
    pattern: /^\s*(?:\} else )?if (?<part>(?!let\b)[^{};]+?) \{\s*$/d,
    replace: (part) => `!(${part})`,
  },
  ...COMMON,
];
const RUBY: readonly Rule[] = [
  {
    operator: 'negate-condition',
    pattern: /^\s*(?:if|elsif|while) (?<part>\S.*)$/d,
    replace: (part) => `!(${part})`,
  },
  {
    operator: 'replace-return',
    pattern: /^\s*return (?<part>(?!nil\b)\S.*)$/d,
    replace: () => 'nil',
  },
  ...COMMON,
];

const LANGUAGES: Readonly<Record<string, Language>> = {
  '.py': { syntax: WITH_HASH, rules: PYTHON },
  '.rb': { syntax: WITH_HASH, rules: RUBY },
  '.go': { syntax: C_LIKE, rules: BARE },
  '.rs': { syntax: C_LIKE, rules: BARE },
  ...Object.fromEntries(
    [
      '.c',
      '.cc',
      '.cpp',
      '.h',
      '.hpp',
      '.cs',
      '.java',
      '.kt',
      '.php',
      '.scala',
      '.swift',
      '.dart',
    ].map((extension) => [extension, { syntax: C_LIKE, rules: BRACED }]),
  ),
};

export function hasLineMutants(path: string): boolean {
  return LANGUAGES[extname(path)] !== undefined;
}

/** One mutant for each rule that fits one of the lines. */
export function lineMutants(
  path: string,
  text: string,
  lines: ReadonlySet<number>,
): readonly Mutant[] {
  const language = LANGUAGES[extname(path)];
  if (language === undefined) return [];
  const masked = maskText(text, language.syntax);
  const found: Mutant[] = [];
  let start = 0;
  for (const [index, line] of masked.split('\n').entries()) {
    if (lines.has(index + 1) && isWhole(line))
      for (const rule of language.rules) {
        const place = placeOf(rule, line);
        if (place === undefined) continue;
        const [from, to] = [start + place[0], start + place[1]];
        const changed = rule.replace(text.slice(from, to));
        if (changed !== text.slice(from, to))
          found.push({
            operator: rule.operator,
            line: index + 1,
            start: from,
            end: to,
            text: changed,
          });
      }
    start += line.length + 1;
  }
  return found;
}

/** A part of a longer statement can't be replaced alone. */
function isWhole(line: string): boolean {
  let depth = 0;
  for (const character of line) {
    if ('([{'.includes(character)) depth += 1;
    if (')]}'.includes(character)) depth -= 1;
    if (depth < 0 && character !== '}') return false;
  }
  const isOpen = depth > 0 && !/\{\s*$/.test(line);
  return (
    !isOpen && !/[\\,]\s*$/.test(line) && !/^\s*(?:import|from|#|@|package|use|using)\b/.test(line)
  );
}

function placeOf({ pattern }: Rule, line: string): readonly [number, number] | undefined {
  const match = pattern.exec(line);
  return match?.indices?.groups?.['part'] ?? match?.indices?.[0];
}
