{{/* Names and labels. Each takes `root`, and `component`: the name of a server in this chart. */}}

{{- define "firesteel.fullname" -}}
{{- $chart := default .Chart.Name .Values.nameOverride -}}
{{- $combined := ternary .Release.Name (printf "%s-%s" .Release.Name $chart) (contains $chart .Release.Name) -}}
{{- default $combined .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- end }}

{{- define "firesteel.name" -}}
{{- printf "%s-%s" (include "firesteel.fullname" .root) .component -}}
{{- end }}

{{- define "firesteel.selector" -}}
app.kubernetes.io/name: {{ default .root.Chart.Name .root.Values.nameOverride | quote }}
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "firesteel.labels" -}}
{{ include "firesteel.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service | quote }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | quote }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Port of a URL. */}}
{{- define "firesteel.port" -}}
{{- $url := urlParse . -}}
{{- default (ternary "443" "80" (eq $url.scheme "https")) (regexFind "[0-9]+$" (regexFind ":[0-9]+$" $url.host)) -}}
{{- end }}

{{/* Value of a Kubernetes quantity as a decimal number; empty if it is none. */}}
{{- define "firesteel.quantity" -}}
{{- $text := toString . -}}
{{- $number := regexFind "^\\+?([0-9]+\\.?[0-9]*|\\.[0-9]+)" $text -}}
{{- $factors := dict "" 1 "n" 1e-9 "u" 1e-6 "m" 1e-3 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "P" 1e15 "E" 1e18 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 "Pi" 1125899906842624 "Ei" 1152921504606846976 -}}
{{- $suffix := trimPrefix $number $text -}}
{{- if and $number (hasKey $factors $suffix) -}}
{{- mulf (float64 $number) (float64 (get $factors $suffix)) -}}
{{- else if and $number (regexMatch "^[eE][+-]?[0-9]+$" $suffix) -}}
{{- float64 $text -}}
{{- end -}}
{{- end }}
