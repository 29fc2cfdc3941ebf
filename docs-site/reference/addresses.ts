/** Where the pages of the reference are. */
export const REFERENCE_PATH = '/docs/reference';
export const EVENTS_PATH = `${REFERENCE_PATH}/webhook-events`;
export const OBJECTS_PATH = `${REFERENCE_PATH}/objects`;

/** Where the reference says how a request shows whose it is. */
export const AUTHENTICATION = `${REFERENCE_PATH}#authentication`;

/** The page of a group of operations. */
export function pathOfTag(tag: string): string {
  return `${REFERENCE_PATH}/${tag.toLowerCase()}`;
}

/** Where an operation is described. */
export function addressOfOperation(tag: string, operationId: string): string {
  return `${pathOfTag(tag)}#${operationId}`;
}

/** The id of an event type's heading. */
export function anchorOfEvent(type: string): string {
  return type.replaceAll(/[._]/g, '-');
}

/** Where a type of event is described. */
export function addressOfEvent(type: string): string {
  return `${EVENTS_PATH}#${anchorOfEvent(type)}`;
}

/** Where an object of the API is described; `name` is that of its schema. */
export function addressOfObject(name: string): string {
  return `${OBJECTS_PATH}#${name}`;
}
