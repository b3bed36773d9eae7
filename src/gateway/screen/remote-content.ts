/**
 * Finds content that is not in the request itself: addresses that the provider would fetch, and files stored at the
 * provider.
 */
import { isRecord } from '../../base/json.ts';
import { recordList, textField } from '../wires/json-shape.ts';
import { isToolData } from '../budget/tool-data.ts';
import { isAbsent, screenRefusal, walkRequest } from './screen.ts';
import type { RequestBody, ScreenResult, ScreenTerms } from './screen.ts';

/** The fields of any wire that hold an address or the id of a stored file. */
const ADDRESSES = ['image_url', 'file_url', 'fileUri', 'file_uri', 'video_url', 'audio_url'];
const IDS = ['file_id', 'fileId', 'vector_store_id', 'container_id'];

/** Undefined: everything that the model is to read is in the request itself. */
export function refuseRemote(
  conversation: unknown,
  { allowed }: Pick<ScreenTerms, 'allowed'>,
): Extract<ScreenResult, { kind: 'refused' }> | undefined {
  let found: Extract<ScreenResult, { kind: 'refused' }> | undefined;
  const inspect = (item: RequestBody): boolean => {
    if (found !== undefined) return false;
    if (!allowed.has('urls')) {
      const names = isSource(item) ? [...ADDRESSES, 'url'] : ADDRESSES;
      const address = names.find((key) => isAddress(item[key]));
      if (address !== undefined) found = refuseAddress(address);
    }
    if (!allowed.has('files')) {
      const id = IDS.find((key) => textField(item[key]) !== '');
      if (id !== undefined) found ??= refuseFile(id);
    }
    for (const [key, value] of Object.entries(item)) {
      if (!isToolData(item, key)) walkRequest(value, inspect);
    }
    return false;
  };
  walkRequest(conversation, inspect);
  return found;
}

const READ = ['system', 'messages', 'input', 'systemInstruction', 'contents'];

/** Whether a screened request names content that is not in it. Only the context size bounds such content. */
export function namesRemote(body: RequestBody): boolean {
  const conversation = READ.map((name) => body[name]);
  const isRemote = refuseRemote(conversation, { allowed: new Set() }) !== undefined;
  return isRemote || recordList(body['input']).some(isStoredItem);
}

/** Calls that OpenAI performed itself. Their results may be stored there and only named here. */
const HOSTED = /^(?:web_search|file_search|code_interpreter|image_generation|mcp)_call$/;

/** An item of OpenAI without its content. The provider finds the content by its id. */
function isStoredItem(item: RequestBody): boolean {
  if (isAbsent(item['id'])) return false;
  if (item['type'] === 'reasoning')
    return isAbsent(item['encrypted_content']) && recordList(item['content']).length === 0;
  return HOSTED.test(textField(item['type']));
}

/** In a citation an address only names the origin of a text; nothing is fetched. */
function isSource({ type }: RequestBody): boolean {
  return isAbsent(type) || textField(type).toLowerCase() === 'url';
}

/** Inline data is not an address. Any other value is one, whatever its scheme. */
function isAddress(value: unknown): boolean {
  const written = isRecord(value) ? value['url'] : value;
  if (isAbsent(written) || written === '') return false;
  return typeof written !== 'string' || !/^data:/i.test(written.trimStart());
}

function refuseAddress(key: string): Extract<ScreenResult, { kind: 'refused' }> {
  return screenRefusal(
    'url_refused',
    `The request has an address for the provider to fetch (${key}), which is off. Send the content itself, or add urls to gateway.server_tools in your own settings.`,
  );
}

function refuseFile(key: string): Extract<ScreenResult, { kind: 'refused' }> {
  return screenRefusal(
    'file_refused',
    `The request names a file that is stored at the provider (${key}), which is off. Send the content itself, or add files to gateway.server_tools in your own settings.`,
  );
}
