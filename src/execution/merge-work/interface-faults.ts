/** What is wrong with the text of an interface, as far as it can be seen without the project: its syntax. */
import { isRecord } from '../../base/json.ts';
import { oneLine, truncate } from '../../base/text.ts';
import { loadJavaScript } from '../../context/imports/javascript-imports.ts';
import type { InterfaceFile } from '../../protocol/feature.ts';
import { readYaml } from '../../yaml/read-yaml.ts';
import { toValue } from '../../yaml/yaml-tree.ts';

const FAULTS_MAX = 20;
const FAULT_CHARS_MAX = 300;

/** One line for each fault, with its file. */
export async function findInterfaceFaults(
  files: readonly InterfaceFile[],
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const file of files) {
    const faults = isTypes(file) ? await typeFaults(file) : await documentFaults(file);
    found.push(...faults.map((fault) => truncate(oneLine(fault), FAULT_CHARS_MAX)));
  }
  return found.slice(0, FAULTS_MAX);
}

function isTypes({ path }: InterfaceFile): boolean {
  return /\.d\.[cm]?ts$/.test(path);
}

async function typeFaults({ path, text }: InterfaceFile): Promise<readonly string[]> {
  const parse = await loadJavaScript();
  return parse(path, text).errors.map(({ message, labels: [label] }) => {
    const line = text.slice(0, label?.start ?? 0).split('\n').length;
    return `${path}:${line}: ${message}`;
  });
}

/** YAML contains JSON. */
async function documentFaults({ path, text }: InterfaceFile): Promise<readonly string[]> {
  const place = (line: number, column: number) => ({ file: path, line, column });
  const { tree, problems } = readYaml(text, place);
  if (problems.length > 0)
    return problems.map(({ place: { line }, message }) => `${path}:${line}: ${message}`);
  const value = toValue(tree);
  if (!isRecord(value)) return [`${path}: it is no map of keys and values`];
  if (!('openapi' in value) && !('swagger' in value))
    return path.endsWith('.json') ? [] : [`${path}: it has no key openapi, with its version`];
  return (await apiFaults(value)).map((fault) => `${path}: ${fault}`);
}

/** The validator and its schemas are loaded only if a plan describes an HTTP API. */
async function apiFaults(api: Record<string, unknown>): Promise<readonly string[]> {
  const { Validator } = await import('@seriousme/openapi-schema-validator');
  const { valid, errors } = await new Validator().validate(api);
  if (valid) return [];
  if (typeof errors === 'string') return [errors];
  return (errors ?? []).map(({ instancePath, message }) => `${instancePath || '/'} ${message}`);
}
