/** Descriptions of the fields of metadata, for `kubectl explain`. */
export const metadataDescriptions: Readonly<Record<string, string>> = {
  annotations: "Data of tools about the object. Selectors cannot use it.",
  creationTimestamp: "CreationTimestamp is a timestamp of the object's creation, which the server sets.",
  deletionGracePeriodSeconds: "Seconds that the object has to terminate. Set by its deletion.",
  deletionTimestamp: "Time at which the object is deleted. Set by its deletion.",
  finalizers: "Steps that must be removed from this list before a deleted object is removed.",
  generateName: "Prefix of the name, which the server completes if there is no name.",
  generation: "Number of the desired state, which increases with each change of it.",
  labels: "Keys and values that selectors match.",
  managedFields: "Fields that each client owns by server-side apply or updates.",
  name: "Name of the object, which only one object of its kind in a namespace has.",
  namespace: "Namespace that contains the object.",
  ownerReferences: "Objects that own this one: it is deleted when all of them are deleted.",
  resourceVersion: "Revision of the object, which changes with every write.",
  selfLink: "Not used any more.",
  uid: "ID of the object, which no other object ever has.",
};
