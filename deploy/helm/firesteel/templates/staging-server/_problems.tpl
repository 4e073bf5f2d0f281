{{/* Fails with all values that contradict each other. The schema checks each value by itself. */}}

{{- define "firesteel.stagingServer.check" -}}
{{- $all := list -}}
{{- range (list "image" "store" "tls" "access" "network") -}}
{{- $all = concat $all (include (printf "firesteel.stagingServer.problems.%s" .) $ | trim | splitList "\n" | compact) -}}
{{- end -}}
{{- if $all }}{{ fail (printf "\n- %s\n" (join "\n- " $all)) }}{{ end -}}
{{- end }}

{{- define "firesteel.stagingServer.problems.image" -}}
{{- if not .Values.stagingServer.image }}
stagingServer.image is not set, and no public registry has this image. Build it with `firesteel image build firesteel-server --tag REGISTRY/firesteel-server:{{ .Chart.AppVersion }} --push`, then set stagingServer.image=REGISTRY/firesteel-server:{{ .Chart.AppVersion }}.
{{- end }}
{{- end }}

{{- define "firesteel.stagingServer.problems.store" -}}
{{- $replicas := int .Values.stagingServer.replicas -}}
{{- with .Values.stagingServer.store -}}
{{- if eq .type "s3" }}
{{- if not .s3.location }}
stagingServer.store.type is s3, but stagingServer.store.s3.location is not set. Set it to s3://BUCKET/DIRECTORY.
{{- end }}
{{- if .pvc.existingClaim }}
stagingServer.store.pvc.existingClaim is "{{ .pvc.existingClaim }}", but stagingServer.store.type is s3. Remove the claim, or set the type to pvc.
{{- end }}
{{- if and .s3.caSecret (hasPrefix "http://" .s3.endpoint) }}
stagingServer.store.s3.caSecret is "{{ .s3.caSecret }}", but {{ .s3.endpoint }} does not use TLS. Remove the Secret, or use https://.
{{- end }}
{{- else }}
{{- range (list "location" "endpoint" "region" "credentialsSecret" "caSecret") }}
{{- if get $.Values.stagingServer.store.s3 . }}
stagingServer.store.s3.{{ . }} is "{{ get $.Values.stagingServer.store.s3 . }}", but stagingServer.store.type is pvc. Set the type to s3, or remove stagingServer.store.s3.{{ . }}.
{{- end }}
{{- end }}
{{- if not .pvc.accessModes }}
stagingServer.store.pvc.accessModes is empty. Set it to [ReadWriteOnce] or [ReadWriteMany].
{{- else if and (gt $replicas 1) (not (has "ReadWriteMany" .pvc.accessModes)) }}
stagingServer.replicas is {{ $replicas }}, but the volume is {{ join ", " .pvc.accessModes }}: only one server can use it. Set stagingServer.store.pvc.accessModes to [ReadWriteMany], use a bucket, or set stagingServer.replicas to 1.
{{- end }}
{{- if and .pvc.existingClaim .pvc.keep }}
stagingServer.store.pvc.keep is true, but the chart never deletes the existing claim "{{ .pvc.existingClaim }}". Remove stagingServer.store.pvc.keep.
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "firesteel.stagingServer.problems.tls" -}}
{{- with .Values.stagingServer.tls -}}
{{- if eq .source "none" }}
{{- range (list "secretName" "clientCaSecret") }}
{{- if get $.Values.stagingServer.tls . }}
stagingServer.tls.{{ . }} is "{{ get $.Values.stagingServer.tls . }}", but stagingServer.tls.source is none. Set the source to secret or certManager, or remove stagingServer.tls.{{ . }}.
{{- end }}
{{- end }}
{{- end }}
{{- if and (eq .source "secret") (not .secretName) }}
stagingServer.tls.source is secret, but stagingServer.tls.secretName is not set. Set it to a Secret of type kubernetes.io/tls.
{{- end }}
{{- if and (eq .source "certManager") (not .issuer.name) }}
stagingServer.tls.source is certManager, but stagingServer.tls.issuer.name is not set. Set it to an issuer: `kubectl get issuers,clusterissuers` lists them.
{{- end }}
{{- if and (ne .source "certManager") (or .issuer.name .dnsNames) }}
stagingServer.tls.{{ ternary "issuer.name" "dnsNames" (not (empty .issuer.name)) }} is set, but stagingServer.tls.source is {{ .source }}. Set the source to certManager, or remove it.
{{- end }}
{{- if and (ne .source "none") (hasPrefix "http://" $.Values.stagingServer.internalUrl) }}
stagingServer.internalUrl is {{ $.Values.stagingServer.internalUrl }}, but the server uses TLS. Use https://, or set stagingServer.tls.source to none.
{{- end }}
{{- if and .clientCaSecret $.Values.stagingServer.serviceMonitor.enabled (not $.Values.stagingServer.serviceMonitor.tlsConfig) }}
stagingServer.tls.clientCaSecret is "{{ .clientCaSecret }}", but stagingServer.serviceMonitor.tlsConfig has no client certificate for Prometheus. Set its cert and keySecret, or disable the ServiceMonitor.
{{- end }}
{{- end }}
{{- end }}

{{- define "firesteel.stagingServer.problems.access" -}}
{{- with .Values.stagingServer -}}
{{- if and (not .serviceAccount.create) (not .serviceAccount.name) }}
stagingServer.serviceAccount.create is false, but stagingServer.serviceAccount.name is not set. Name an existing account.
{{- end }}
{{- if and (not .serviceAccount.create) .serviceAccount.annotations }}
stagingServer.serviceAccount.annotations is set, but stagingServer.serviceAccount.create is false. Annotate the existing account, and remove the annotations here.
{{- end }}
{{- if and .namespaces (eq .owners "none") }}
stagingServer.namespaces is {{ join ", " .namespaces }}, but stagingServer.owners is none: the server lists no pods. Remove one of them.
{{- end }}
{{- end }}
{{- end }}

{{- define "firesteel.stagingServer.problems.network" -}}
{{- with .Values.stagingServer -}}
{{- if and .service.nodePort (eq .service.type "ClusterIP") }}
stagingServer.service.nodePort is {{ int .service.nodePort }}, but stagingServer.service.type is ClusterIP. Set the type to NodePort or LoadBalancer, or remove the port.
{{- end }}
{{- if and .networkPolicy.from (not .networkPolicy.enabled) }}
stagingServer.networkPolicy.from is set, but stagingServer.networkPolicy.enabled is false: every pod can connect. Enable the policy, or remove the peers.
{{- end }}
{{- with .podDisruptionBudget }}
{{- $max := not (kindIs "invalid" .maxUnavailable) -}}
{{- $min := not (kindIs "invalid" .minAvailable) -}}
{{- if and .enabled (eq $max $min) }}
stagingServer.podDisruptionBudget has {{ ternary "both" "neither of" $max }} maxUnavailable and minAvailable. Set one of them, and the other to null.
{{- end }}
{{- end }}
{{- if and .podDisruptionBudget.enabled (regexMatch "^[0-9]+$" (toString .podDisruptionBudget.minAvailable)) (gt (int .replicas) 0) (ge (int .podDisruptionBudget.minAvailable) (int .replicas)) }}
stagingServer.podDisruptionBudget.minAvailable is {{ .podDisruptionBudget.minAvailable }} with stagingServer.replicas {{ int .replicas }}: no node with a server could be drained. Set it to less than the number of replicas.
{{- end }}
{{- end }}
{{- end }}
