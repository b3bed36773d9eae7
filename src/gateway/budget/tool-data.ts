/**
 * Fields that hold data of the agent's own tools: their schemas, arguments and answers. The API gives
 * the names inside no meaning, so a property called `file_id` there is a name like any other.
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
  'response', // what a function of Gemini's wire gave back
]);

export function isToolData(item: Readonly<Record<string, unknown>>, key: string): boolean {
  return ANYWHERE.has(key) || ARGUMENTS[textField(item['type'])] === key;
}
