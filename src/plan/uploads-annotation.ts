/** On the driver's pod, if its uploads are to go with it: their folders, as a list in JSON. */
export const uploadsAnnotation = "firesteel.dev/uploads";
