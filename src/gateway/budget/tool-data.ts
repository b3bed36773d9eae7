/**
 * Fields that hold data of the agent's own tools: schemas, arguments and results. The API gives no meaning to names
 * inside this data, so a property called `file_id` there is not a reference to a file.
 */
import { textField } from '../wires/json-shape.ts';

const ARGUMENTS: Readonly<Record<string, string>> = {
  tool_use: 'input',
  server_tool_use: 'input',
  mcp_tool_use: 'input',
  custom_tool_call: 'input',
  function_call: 'arguments',
};
const ANYWHERE: ReadonlySet<string> = new Set([
  'tools',
  'parameters',
  'input_schema',
  'functionCall',
  'function_call',
  'toolCall',
  'response', // the result of a function on Gemini's wire
]);

export function isToolData(item: Readonly<Record<string, unknown>>, key: string): boolean {
  return ANYWHERE.has(key) || ARGUMENTS[textField(item['type'])] === key;
}
