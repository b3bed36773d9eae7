/** The public interface of a TypeScript or JavaScript module: exports with documentation and types, without bodies. */
import type {
  Class,
  Comment,
  Declaration,
  Directive,
  Function as Fn,
  Program,
  Statement,
  VariableDeclarator,
} from 'oxc-parser';
import type { Parse } from '../imports/javascript-imports.ts';

type Source = {
  readonly text: string;
  readonly comments: readonly Comment[];
  /** Local names that an export list exports. */
  readonly listed: ReadonlySet<string>;
};

type Member = Class['body']['body'][number];

const VALUE_CHARS_MAX = 80;

/** Empty if nothing is exported. */
export function javascriptOutline(parse: Parse, path: string, text: string): string {
  const { program, comments } = parse(path, text);
  const source: Source = { text, comments, listed: listedExports(program) };
  const lines = program.body.flatMap((statement) => {
    const shown = outlineStatement(source, statement);
    return shown === undefined ? [] : [documentation(source, statement.start) + shown];
  });
  return lines.length === 0 ? '' : `${lines.join('\n\n')}\n`;
}

function listedExports(program: Program): ReadonlySet<string> {
  const names = program.body.flatMap((statement) =>
    statement.type === 'ExportNamedDeclaration' && statement.source === null
      ? statement.specifiers.map(({ local }) => ('name' in local ? local.name : local.value))
      : statement.type === 'ExportDefaultDeclaration' && statement.declaration.type === 'Identifier'
        ? [statement.declaration.name]
        : [],
  );
  return new Set(names);
}

function outlineStatement(source: Source, statement: Directive | Statement): string | undefined {
  const { text, listed } = source;
  const { type, start, end } = statement;
  const asItIs = text.slice(start, end);
  if (PASSED_ON.has(type)) return asItIs;
  if (type === 'ExportNamedDeclaration')
    return statement.declaration === null
      ? asItIs
      : declarationOutline(source, start, statement.declaration);
  if (type === 'ExportDefaultDeclaration') {
    const { declaration } = statement;
    if (declaration.type === 'FunctionDeclaration' || declaration.type === 'TSDeclareFunction')
      return signature(source, start, declaration);
    if (declaration.type === 'ClassDeclaration') return classOutline(source, start, declaration);
    return declaration.type === 'Identifier' || declaration.type === 'TSInterfaceDeclaration'
      ? asItIs
      : 'export default …;';
  }
  if (!type.endsWith('Declaration') || type === 'ImportDeclaration') return undefined;
  const declaration = statement as Declaration;
  return declaredNames(declaration).some((name) => listed.has(name))
    ? declarationOutline(source, start, declaration)
    : undefined;
}

const PASSED_ON = new Set([
  'ExportAllDeclaration',
  'TSExportAssignment',
  'TSNamespaceExportDeclaration',
]);

function declaredNames(declaration: Declaration): readonly string[] {
  if (declaration.type === 'VariableDeclaration')
    return declaration.declarations.flatMap(({ id }) =>
      id.type === 'Identifier' ? [id.name] : [],
    );
  const id = 'id' in declaration ? declaration.id : null;
  return id !== null && 'name' in id && typeof id.name === 'string' ? [id.name] : [];
}

function declarationOutline(source: Source, start: number, declaration: Declaration): string {
  const { text } = source;
  if (declaration.type === 'FunctionDeclaration' || declaration.type === 'TSDeclareFunction')
    return signature(source, start, declaration);
  if (declaration.type === 'ClassDeclaration') return classOutline(source, start, declaration);
  if (declaration.type === 'VariableDeclaration') {
    const [first] = declaration.declarations;
    const before = text.slice(start, first?.start ?? declaration.end);
    return `${before}${declaration.declarations.map((one) => variable(text, one)).join(', ')};`;
  }
  return text.slice(start, declaration.end); // types, interfaces and enums are public as a whole
}

function signature({ text }: Source, start: number, fn: Fn): string {
  return `${text
    .slice(start, fn.body?.start ?? fn.end)
    .trimEnd()
    .replace(/;$/, '')};`;
}

function variable(text: string, { id, init, start, end }: VariableDeclarator): string {
  const name = text.slice(id.start, id.end);
  const typed =
    id.type === 'Identifier' && id.typeAnnotation !== null && id.typeAnnotation !== undefined;
  if (typed || init === null) return name;
  if (init.type === 'ArrowFunctionExpression' || init.type === 'FunctionExpression') {
    const head = text.slice(start, init.body?.start ?? end).trimEnd();
    return `${head.replace(/=>$/, '').trimEnd()} => …`;
  }
  const plain =
    init.type === 'Literal' || init.type === 'TSAsExpression' || init.type === 'TemplateLiteral';
  const value = text.slice(init.start, init.end);
  return plain && value.length <= VALUE_CHARS_MAX && !value.includes('\n')
    ? `${name} = ${value}`
    : `${name} = …`;
}

function classOutline(source: Source, start: number, declared: Class): string {
  const { text } = source;
  const head = text.slice(start, declared.body.start).trimEnd();
  const members = declared.body.body.flatMap((member) => {
    if (member.type === 'StaticBlock' || isHidden(member)) return [];
    const end = memberEnd(member);
    const shown = text.slice(member.start, end).trimEnd().replace(/;$/, '');
    return [`${documentation(source, member.start, '  ')}  ${shown};`];
  });
  return members.length === 0 ? `${head} {}` : `${head} {\n${members.join('\n')}\n}`;
}

function memberEnd(member: Member): number {
  if ('value' in member && member.value !== null && 'body' in member.value && isMethod(member))
    return member.value.body?.start ?? member.end;
  if (!('key' in member) || isMethod(member)) return member.end;
  const typed = 'typeAnnotation' in member ? member.typeAnnotation : undefined;
  return typed?.end ?? member.key.end;
}

function isMethod({ type }: Member): boolean {
  return type === 'MethodDefinition' || type === 'TSAbstractMethodDefinition';
}

function isHidden(member: Member): boolean {
  if (
    'accessibility' in member &&
    (member.accessibility === 'private' || member.accessibility === 'protected')
  )
    return true;
  return 'key' in member && member.key.type === 'PrivateIdentifier';
}

/** The documentation comment directly above. */
function documentation({ text, comments }: Source, start: number, indent = ''): string {
  const above = comments.findLast(({ end }) => end <= start);
  const isDocs = above?.type === 'Block' && above.value.startsWith('*');
  if (!isDocs || text.slice(above.end, start).trim() !== '') return '';
  return `${indent}${text.slice(above.start, above.end)}\n`;
}
