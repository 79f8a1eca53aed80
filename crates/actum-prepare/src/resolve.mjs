// The same for versions of Node that ask in another thread.
const leads = /^[./]|^[a-z]+:/;

export async function resolve(name, context, next) {
  try {
    return await next(name, context);
  } catch (error) {
    if (leads.test(name)) throw error;
    try {
      return await next(name, { ...context, parentURL: import.meta.url });
    } catch {
      throw error;
    }
  }
}
