/** Setting that disables the web UI of a driver. */
export const uiEnabledKey = "spark.ui.enabled";
/** Setting of the path with which the links of a web UI begin. */
export const uiProxyBaseKey = "spark.ui.proxyBase";
